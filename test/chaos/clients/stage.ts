import { setTimeout as delay } from 'node:timers/promises';

import type { Dice } from '../../simulation/dice.ts';
import type { Client, Service } from './ask-service.ts';
import type { WorkflowName } from './workflows.ts';

/** The service that the clients use, and their shared knowledge. */
export interface Stage {
  readonly service: Service;
  readonly dice: Dice;
  readonly tenants: readonly TenantOf[];
  readonly outsideUrl: string;
  /** Clients begin nothing more. */
  readonly isOver: () => boolean;
  /** Ends early when the run is over. */
  readonly pause: (ms: number) => Promise<void>;
  readonly known: Known;
  /** See `ClientsParams`. */
  readonly rests: number;
}

export interface TenantOf {
  readonly tenantId: string;
  readonly token: string;
  /** The limit of its live executions; null: no limit. */
  readonly executionsMax: number | null;
}

/** Ids that clients learned from answers: newest last, and limited in number. */
export interface Known {
  readonly executions: KnownExecution[];
  readonly items: { readonly tenantId: string; readonly workItemId: string }[];
}

export interface KnownExecution {
  readonly tenantId: string;
  readonly executionId: string;
  readonly workflowId: WorkflowName;
  /** The token of its start, with which the tokens of its other operations begin. */
  readonly token: string;
}

const KNOWN_MAX = 60;

export function learn<Thing>(known: Thing[], thing: Thing): void {
  known.push(thing);
  if (known.length > KNOWN_MAX) known.shift();
}

export function clientOf({ tenantId, token }: TenantOf, role: string): Client {
  return { client: `${tenantId}-${role}`, tenantId, token };
}

export function createStage(
  given: Pick<Stage, 'service' | 'dice' | 'tenants' | 'outsideUrl' | 'rests'> & {
    readonly over: AbortSignal;
  },
): Stage {
  const { over, ...rest } = given;
  return {
    ...rest,
    isOver: () => over.aborted,
    pause: (ms) => delay(ms * rest.rests, undefined, { signal: over }).catch(() => undefined),
    known: { executions: [], items: [] },
  };
}
