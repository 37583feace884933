import { isTerminal } from '../domain/execution/status.ts';
import type { CommitPlan } from '../store/commit.ts';
import type { EngineDeps } from './deps.ts';
import { wakeFor } from './wake-for.ts';

/**
 * What an accepted commit of a known execution sets off outside the store: hints, and figures.
 * `createdAt` is the execution's, `committedAt` the timestamp of the commit's events.
 */
export function afterCommit(
  deps: Pick<EngineDeps, 'wake' | 'report'>,
  of: {
    readonly commit: CommitPlan;
    readonly shard: number;
    readonly createdAt: string;
    readonly committedAt: string;
  },
): void {
  const { commit, shard, createdAt, committedAt } = of;
  wakeFor(deps.wake, commit, shard);
  const { status } = commit;
  if (status === null || !isTerminal(status)) return;
  const seconds = (Date.parse(committedAt) - Date.parse(createdAt)) / 1_000;
  deps.report.observe('execution_seconds', seconds, { status });
  const { executionId, tenantId, error } = commit;
  const span = { executionId, tenantId, status, error, startedAt: createdAt, endedAt: committedAt };
  deps.report.ended?.(span);
}
