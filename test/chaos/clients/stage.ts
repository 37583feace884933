import { setTimeout as delay } from 'node:timers/promises';

import type { Dice } from '../../simulation/dice.ts';
import type { Client, Service } from './ask-service.ts';
import type { WorkflowName } from './workflows.ts';

/** What the clients act upon, and know of each other. */
export interface Stage {
  readonly service: Service;
  readonly dice: Dice;
  readonly tenants: readonly TenantOf[];
  readonly outsideUrl: string;
  /** Nothing more is begun. */
  readonly isOver: () => boolean;
  /** Ends early when all is over. */
  readonly pause: (ms: number) => Promise<void>;
  readonly known: Known;
}

export interface TenantOf {
  readonly tenantId: string;
  readonly token: string;
  /** How many executions it may have at a time; null: as many as it likes. */
  readonly executionsMax: number | null;
}

/** What was learnt from answers: newest last, and only so much of it. */
export interface Known {
  readonly executions: KnownExecution[];
  readonly items: { readonly tenantId: string; readonly workItemId: string }[];
}

export interface KnownExecution {
  readonly tenantId: string;
  readonly executionId: string;
  readonly workflowId: WorkflowName;
  /** That of its start: those of what is done to it begin with it. */
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
  given: Pick<Stage, 'service' | 'dice' | 'tenants' | 'outsideUrl'> & {
    readonly over: AbortSignal;
  },
): Stage {
  const { over, ...rest } = given;
  return {
    ...rest,
    isOver: () => over.aborted,
    pause: (ms) => delay(ms, undefined, { signal: over }).catch(() => undefined),
    known: { executions: [], items: [] },
  };
}
