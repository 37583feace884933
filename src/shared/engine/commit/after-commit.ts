import type { ExecutionState } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { CommitPlan } from '../../store/commit.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';
import { wakeFor } from '../wake/wake-for.ts';

/**
 * The effects of an accepted commit of a known execution outside the store: hints, metrics, and its end
 * for callers that wait for it here. `committedAt` is the timestamp of the commit's events.
 */
export function afterCommit(
  deps: Pick<EngineDeps, 'wake' | 'report' | 'endsHere' | 'admission' | 'quotaAdmission'>,
  of: {
    readonly commit: CommitPlan;
    readonly row: Pick<ExecutionRow, 'definitionId' | 'workflowId' | 'shard' | 'createdAt'>;
    readonly committedAt: string;
    /** The resulting state; absent: the caller does not know it. */
    readonly state?: ExecutionState;
  },
): void {
  const { commit, row, committedAt, state } = of;
  const { definitionId, workflowId, shard, createdAt } = row;
  const started = commit.startsExecutions.length + (commit.create === null ? 0 : 1);
  if (started > 0) deps.report.count('executions_started', started);
  wakeFor(deps.wake, commit, shard);
  deps.admission.note(commit, workflowId);
  deps.quotaAdmission.note(commit);
  const { status } = commit;
  if (status === null || !isTerminal(status)) return;
  const seconds = (Date.parse(committedAt) - Date.parse(createdAt)) / 1_000;
  deps.report.observe('execution_seconds', seconds, { status });
  const { executionId, tenantId, error } = commit;
  if (state !== undefined) {
    deps.endsHere.note({ row: { executionId, tenantId, definitionId }, state });
  }
  deps.report.ended?.({
    executionId,
    tenantId,
    workflowId,
    status,
    error,
    startedAt: createdAt,
    endedAt: committedAt,
  });
}
