import type { ExplainedExecution } from '../executions/explain-execution.ts';
import type { BlockerCode } from '../../domain/execution/explain/blocker.ts';
import type { ExecutionStatus } from '../../domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import type { DiagnosisStore } from '../../store/readings/diagnosis.ts';

/** An execution that does not move, and what it rests on first of all. */
export interface StuckExecution {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly status: ExecutionStatus;
  readonly code: BlockerCode;
  readonly nodeId: string | null;
  readonly message: string;
  readonly since: string | null;
  readonly unblockedBy: string;
}

export interface StuckExecutions {
  /** So many of the oldest live executions were looked at, and so many of these do not move. */
  readonly looked: number;
  readonly resting: number;
  /** The oldest of these. */
  readonly listed: readonly StuckExecution[];
  /** Executions that cannot continue without repair, and those that lack something. */
  readonly broken: readonly StuckExecution[];
  readonly needy: readonly StuckExecution[];
}

/** For each that is listed, so many are looked at. */
const LOOKED_PER_LISTED = 5;

/** People, events and times are waited for as long as it takes: that is no fault. */
const BROKEN: ReadonlySet<BlockerCode> = new Set([
  'history_unreadable',
  'not_marked',
  'work_missing',
  'timer_missing',
]);
const NEEDY: ReadonlySet<BlockerCode> = new Set([
  'no_scheduler',
  'dead_lettered',
  'no_worker_for_queue',
  'no_worker_for_tool',
  'no_worker_for_build',
  'runnable_not_decided',
]);

export async function findStuckExecutions(params: {
  readonly diagnosis: Pick<DiagnosisStore, 'oldestLive'>;
  readonly explain: (of: {
    readonly executionId: ExecutionId;
    readonly tenantId: TenantId;
  }) => Promise<ExplainedExecution>;
  readonly limit: number;
}): Promise<StuckExecutions> {
  const { diagnosis, explain, limit } = params;
  const live = await diagnosis.oldestLive({ limit: limit * LOOKED_PER_LISTED });
  const stuck: (StuckExecution & { readonly overdue: boolean })[] = [];
  for (const { executionId, tenantId } of live) {
    const { status, moving, blockers } = await explain({ executionId, tenantId });
    const [first] = blockers;
    if (moving || first === undefined) continue;
    const { code, nodeId, message, since, unblockedBy, overdue } = first;
    stuck.push({
      executionId,
      tenantId,
      status,
      code,
      nodeId,
      message,
      since,
      unblockedBy,
      overdue,
    });
  }
  return {
    looked: live.length,
    resting: stuck.length,
    listed: stuck.slice(0, limit),
    broken: stuck.filter(({ code }) => BROKEN.has(code)),
    needy: stuck.filter(({ code, overdue }) => overdue || NEEDY.has(code)),
  };
}
