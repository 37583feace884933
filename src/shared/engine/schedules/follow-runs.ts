import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionStore } from '../../store/store.ts';

/** The last of the runs that continue an execution. */
export interface FollowedRun {
  /** The last run. */
  readonly executionId: ExecutionId;
  readonly isLive: boolean;
}

export type FollowRuns = (of: {
  readonly scheduleId: string;
  readonly tenantId: TenantId;
  readonly executionId: ExecutionId;
}) => Promise<FollowedRun>;

/** Where the runs of a schedule were found to be is kept, so that no run is followed twice. */
export function createFollowRuns(executions: Pick<ExecutionStore, 'find' | 'events'>): FollowRuns {
  const known = new Map<string, { readonly from: ExecutionId; readonly last: ExecutionId }>();

  return async function follow({ scheduleId, tenantId, executionId: from }) {
    const before = known.get(scheduleId);
    known.delete(scheduleId);
    let last = before?.from === from ? before.last : from;
    for (;;) {
      const row = await executions.find(last, tenantId);
      if (row === null) return { executionId: last, isLive: false };
      if (last !== from) known.set(scheduleId, { from, last });
      if (!isTerminal(row.status)) return { executionId: last, isLive: true };
      const after = row.lastSequence - 1;
      const [end] = await executions.events({ executionId: last, after, limit: 1 });
      const next = end?.kind === 'WorkflowCompleted' ? (end.payload.continued_as ?? null) : null;
      if (next === null) return { executionId: last, isLive: false };
      last = next as ExecutionId;
    }
  };
}
