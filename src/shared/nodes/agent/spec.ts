import type { Mapping } from '../../domain/expression/mapping.ts';
import type { OnInputRequired } from '../a2a-task/spec.ts';
import type { Criteria } from './read-criteria.ts';

export interface AgentSpec {
  readonly choice: AgentChoice;
  readonly criteria: Criteria;
  readonly skill: string | null;
  /** Null: the node's limit alone. */
  readonly timeoutMs: number | null;
  readonly stream: boolean;
  readonly onInputRequired: OnInputRequired;
}

export type AgentChoice =
  /** A registered agent, by its id. */
  | { readonly by: 'ref'; readonly ref: Mapping }
  /** A registered agent at this address, or one that nobody has registered. */
  | { readonly by: 'uri'; readonly uri: string }
  /** As a coordinator picks. */
  | { readonly by: 'auto' };
