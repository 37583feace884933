import type { TenantId } from '../ids.ts';

/** A present pause of a workflow: none of its executions continues. */
export interface StandingPause {
  /** Actor id of the requester. */
  readonly by: string;
  readonly reason: string | null;
  readonly pausedAt: string;
}

/** The last pause of a workflow, from the request until all that it held is given back. */
export interface WorkflowPause extends StandingPause {
  readonly tenantId: TenantId;
  readonly workflowId: string;
  /** Another with each pause. */
  readonly pauseId: string;
  /** When a look through all its executions first found none that is not held; null: not yet. */
  readonly sweptAt: string | null;
  /** Null: it stands. Else what it holds is being given back. */
  readonly resumed: { readonly by: string; readonly at: string } | null;
}

/** `pausing`: executions are still being held · `resuming`: they are being given back. */
export type PauseProgress = 'pausing' | 'paused' | 'resuming';

export function progressOf({ resumed, sweptAt }: WorkflowPause): PauseProgress {
  if (resumed !== null) return 'resuming';
  return sweptAt === null ? 'pausing' : 'paused';
}
