import type { RemoteAgentPart } from '../../domain/workflow/parse/parts.ts';

export interface A2aTaskSpec {
  readonly agent: RemoteAgentPart;
  /** Null: the agent finds out. */
  readonly skill: string | null;
  readonly stream: boolean;
  readonly onInputRequired: OnInputRequired;
}

export const ON_INPUT_REQUIRED = ['park', 'fail'] as const;

export type OnInputRequired = (typeof ON_INPUT_REQUIRED)[number];
