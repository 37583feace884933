import { SvcError } from '../../domain/errors.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import { planTurn, type FireStart, type Turn } from '../../domain/schedules/plan-turn.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import type { Wake } from '../../ports/wake.ts';
import type { AuditStore } from '../../store/audit.ts';
import type { DueSchedule, ScheduleStore } from '../../store/schedules.ts';
import { StoreUnavailableError, type ExecutionStore } from '../../store/store.ts';
import type { Caller, ExecutionRef } from '../caller.ts';
import type { EngineReport } from '../report.ts';
import type { StartExecution } from '../executions/start-execution.ts';
import type { RoundResult } from '../scheduling/round-result.ts';
import { endedTopic } from '../wake/wake-for.ts';
import { SCHEDULES_TOPIC } from '../wake/wake-bus.ts';
import { createFollowRuns } from './follow-runs.ts';

/*
 * The firing of schedules, each fire once.
 *
 * A round reads what is due and takes each schedule one turn on (`domain/schedules/plan-turn.ts`),
 * by an update that only the reading it was made from allows. A turn that starts something has then
 * noted which fire; the execution is started under the id that follows from it, and what came of
 * that is written as long as the note is there. So several processes may do this at once, and one
 * that dies in between leaves a note that is found due ten seconds later: the start is made again,
 * and where the execution is there, it was made before.
 */

export interface ScheduleFiring {
  /** `dueInMs`: until the next is due; null: none will be, or there is more at once. */
  round(): Promise<RoundResult & { readonly dueInMs: number | null }>;
}

const ROUND_MAX = 50;
const POSTPONE_MS = 60_000;
const PRIORITY = 5;

export function createScheduleFiring(deps: {
  readonly store: ScheduleStore;
  readonly executions: Pick<ExecutionStore, 'find' | 'events'>;
  readonly audit: Pick<AuditStore, 'retired'>;
  readonly start: (caller: Caller, params: StartExecution) => Promise<unknown>;
  readonly cancel: (caller: Caller, ref: ExecutionRef) => Promise<unknown>;
  readonly wake: Wake;
  readonly report: Pick<EngineReport, 'count' | 'trouble'>;
}): ScheduleFiring {
  const { store, executions, audit, wake, report } = deps;
  const followRuns = createFollowRuns(executions);
  const watched = new Map<string, { readonly executionId: ExecutionId; end(): void }>();
  let ended: string[] = [];

  /** A hint for fires that wait; when it is lost, or comes in another process, the poll finds it. */
  function watch({ scheduleId, lastExecutionId }: Schedule, turn: Turn): void {
    const executionId = turn.position.waitingFireAt === null ? null : lastExecutionId;
    const before = watched.get(scheduleId);
    if (before?.executionId === executionId) return;
    before?.end();
    watched.delete(scheduleId);
    if (executionId === null) return;
    const end = wake.subscribe(endedTopic(executionId), () => {
      ended.push(scheduleId);
      wake.notify([SCHEDULES_TOPIC]);
    });
    watched.set(scheduleId, { executionId, end });
  }

  async function takeOn(listed: DueSchedule): Promise<void> {
    const due = await withLastRun(listed);
    const { schedule } = due;
    const { scheduleId } = schedule;
    const turn = plan(due);
    watch(schedule, turn);
    const { position, dueAt, counts, error, start } = turn;
    const change = { scheduleId, turn: schedule.turn, position, dueAt, counts, error };
    if (!(await store.turn(change))) return;
    for (const outcome of ['skipped', 'missed', 'failed'] as const) {
      if (counts[outcome] > 0) report.count('schedule_fires', counts[outcome], { outcome });
    }
    if (start !== null) await carryOut(schedule, start);
  }

  /** An execution that has gone on as another is live as long as that one is. */
  async function withLastRun(due: DueSchedule): Promise<DueSchedule> {
    const { schedule } = due;
    const { lastExecutionId: executionId, overlapPolicy, scheduleId, tenantId } = schedule;
    if (executionId === null || due.lastIsLive || overlapPolicy === 'allow') return due;
    const last = await followRuns({ scheduleId, tenantId, executionId });
    return {
      ...due,
      schedule: { ...schedule, lastExecutionId: last.executionId },
      lastIsLive: last.isLive,
    };
  }

  /** One that cannot be worked out stands aside, so that it does not hold up the others for ever. */
  function plan(due: DueSchedule): Turn {
    try {
      return planTurn(due);
    } catch (error) {
      const { schedule, now } = due;
      report.trouble('a schedule could not be worked out', error, idsOf(schedule));
      return {
        position: schedule.position,
        dueAt: new Date(Date.parse(now) + POSTPONE_MS).toISOString(),
        counts: { started: 0, skipped: 0, missed: 0, failed: 0 },
        error: 'its next fire could not be worked out',
        start: null,
      };
    }
  }

  async function carryOut(schedule: Schedule, start: FireStart): Promise<void> {
    const { scheduleId } = schedule;
    const { fireAt, executionId, cancels } = start;
    const error = await attempt(schedule, start, async () => {
      if (cancels !== null) await cancel(schedule, cancels);
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
    const outcome = error === null ? { executionId } : { error };
    if (!(await store.settleStart({ scheduleId, fireAt, outcome }))) return;
    const is = error === null ? 'started' : 'failed';
    report.count('schedule_fires', 1, { outcome: is });
  }

  /** Why there is no execution; null: there is one, made now or before. Throws: nobody knows. */
  async function attempt(
    schedule: Schedule,
    start: FireStart,
    work: () => Promise<void>,
  ): Promise<string | null> {
    // A fire that was noted long ago may have started, and retention has removed what it started.
    if (start.again && (await wasRemoved(start.executionId))) return null;
    try {
      await work();
      return null;
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      // Also where a limit refused it: this very execution may be what has reached the limit.
      const found = await executions.find(start.executionId, schedule.tenantId);
      if (found !== null) return null;
      if (error instanceof SvcError) return error.message;
      // A process that is ending, perhaps: it is worth a second try, and not a third.
      if (!start.again) throw error;
      report.trouble('a fire of a schedule failed', error, idsOf(schedule));
      return 'internal error';
    }
  }

  async function wasRemoved(executionId: ExecutionId): Promise<boolean> {
    return (await audit.retired({ executionIds: [executionId] })).length > 0;
  }

  async function cancel(schedule: Schedule, executionId: ExecutionId): Promise<void> {
    const { scheduleId, tenantId } = schedule;
    try {
      await deps.cancel(callerOf(schedule), { executionId });
    } catch (error) {
      // It has ended by itself, or is gone; or it has gone on as another a moment ago.
      if (!(error instanceof SvcError)) throw error;
      const last = await followRuns({ scheduleId, tenantId, executionId });
      if (last.isLive && last.executionId !== executionId) {
        await cancel(schedule, last.executionId);
      }
    }
  }

  return {
    async round() {
      const early = ended.slice(0, ROUND_MAX);
      ended = ended.slice(ROUND_MAX);
      const dueInMs = await store.nextDueInMs();
      const isDue = dueInMs !== null && dueInMs <= 0;
      const due = isDue || early.length > 0 ? await store.listDue({ limit: ROUND_MAX, early }) : [];
      if (due.length === 0) return { found: 0, more: false, dueInMs };
      const results = await Promise.allSettled(due.map(takeOn));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return { found: due.length, more: true, dueInMs: null };
    },
  };
}

function callerOf({ tenantId, name }: Schedule): Caller {
  return { tenantId, actorId: `schedule:${name}` };
}

function idsOf({ scheduleId, tenantId }: Schedule): Readonly<Record<string, string>> {
  return { schedule_id: scheduleId, tenant_id: tenantId };
}
