import { SvcError } from '../../domain/errors.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { FireStart } from '../../domain/schedules/plan-turn.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import type { ScheduleStore, StartOutcome } from '../../store/schedules.ts';
import { StoreUnavailableError, type ExecutionStore } from '../../store/store.ts';
import type { Caller, ExecutionRef } from '../caller.ts';
import { isIdTaken, type StartExecution } from '../executions/start-execution.ts';
import { isPlacesTaken } from '../flow/needed-place.ts';
import type { EngineReport } from '../report.ts';
import type { FollowRuns } from './follow-runs.ts';

export interface StartFireDeps {
  readonly store: Pick<ScheduleStore, 'settleStart'>;
  readonly executions: Pick<ExecutionStore, 'find'>;
  readonly start: (caller: Caller, params: StartExecution) => Promise<unknown>;
  readonly cancel: (caller: Caller, ref: ExecutionRef) => Promise<unknown>;
  readonly followRuns: FollowRuns;
  readonly report: Pick<EngineReport, 'count' | 'trouble'>;
}

const PRIORITY = 5;

/** Starts the execution that a turn noted, and writes the outcome unless the note is gone. */
export async function startFire(
  deps: StartFireDeps,
  schedule: Schedule,
  start: FireStart,
): Promise<void> {
  const { scheduleId } = schedule;
  const { fireAt, executionId, cancels } = start;
  const refusal = await attempt(deps, { schedule, start }, async () => {
    if (cancels !== null) await cancelRun(deps, schedule, cancels);
    const { workflowId, workflowVersion, input } = schedule;
    await deps.start(callerOf(schedule), {
      workflowId,
      workflowVersion,
      input,
      executionId,
      priority: PRIORITY,
      idempotencyKey: null,
      whenBusy: 'waits',
    });
  });
  const outcome = refusal ?? { executionId };
  if (!(await deps.store.settleStart({ scheduleId, fireAt, outcome }))) return;
  deps.report.count('schedule_fires', 1, { outcome: wordOf(outcome) });
}

function wordOf(outcome: StartOutcome): 'started' | 'skipped' | 'failed' {
  if ('executionId' in outcome) return 'started';
  return 'skipped' in outcome ? 'skipped' : 'failed';
}

/** Why there is no execution; null: there is one, made now or before. Throws: nobody knows. */
async function attempt(
  deps: StartFireDeps,
  { schedule, start }: { readonly schedule: Schedule; readonly start: FireStart },
  work: () => Promise<void>,
): Promise<StartOutcome | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    // It was started before. If that was long ago, retention may have removed it.
    if (isIdTaken(error, start.executionId)) return null;
    // Also where a limit refused it: this very execution may be what has reached the limit.
    const found = await deps.executions.find(start.executionId, schedule.tenantId);
    if (found !== null) return null;
    if (error instanceof SvcError) {
      const { message } = error;
      return isPlacesTaken(error) ? { skipped: message } : { error: message };
    }
    // A process that is ending, perhaps: it is worth a second try, and not a third.
    if (!start.again) throw error;
    deps.report.trouble('a fire of a schedule failed', error, idsOf(schedule));
    return { error: 'internal error' };
  }
}

async function cancelRun(
  deps: StartFireDeps,
  schedule: Schedule,
  executionId: ExecutionId,
): Promise<void> {
  const { scheduleId, tenantId } = schedule;
  try {
    await deps.cancel(callerOf(schedule), { executionId });
  } catch (error) {
    // It has ended already, or is gone, or has just continued as another execution.
    if (!(error instanceof SvcError)) throw error;
    const last = await deps.followRuns({ scheduleId, tenantId, executionId });
    if (last.isLive && last.executionId !== executionId) {
      await cancelRun(deps, schedule, last.executionId);
    }
  }
}

function callerOf({ tenantId, name }: Schedule): Caller {
  return { tenantId, actorId: `schedule:${name}` };
}

export function idsOf({ scheduleId, tenantId }: Schedule): Readonly<Record<string, string>> {
  return { schedule_id: scheduleId, tenant_id: tenantId };
}
