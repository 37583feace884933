import { isTerminal } from '../../domain/execution/status.ts';
import type { CommitPlan } from '../../store/commit.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';
import { wakeFor } from '../wake/wake-for.ts';

/**
 * The effects of an accepted commit of a known execution outside the store: hints and metrics.
 * `committedAt` is the timestamp of the commit's events.
 */
export function afterCommit(
  deps: Pick<EngineDeps, 'wake' | 'report' | 'admission' | 'quotaAdmission'>,
  of: {
    readonly commit: CommitPlan;
    readonly row: Pick<ExecutionRow, 'workflowId' | 'shard' | 'createdAt'>;
    readonly committedAt: string;
  },
): void {
  const { commit, row, committedAt } = of;
  const { workflowId, shard, createdAt } = row;
  wakeFor(deps.wake, commit, shard);
  deps.admission.note(commit, workflowId);
  deps.quotaAdmission.note(commit);
  const { status } = commit;
  if (status === null || !isTerminal(status)) return;
  const seconds = (Date.parse(committedAt) - Date.parse(createdAt)) / 1_000;
  deps.report.observe('execution_seconds', seconds, { status });
  const { executionId, tenantId, error } = commit;
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
