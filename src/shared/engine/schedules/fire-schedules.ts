import { planTurn, type Turn } from '../../domain/schedules/plan-turn.ts';
import type { Wake } from '../../ports/wake.ts';
import type { DueSchedule, ScheduleStore } from '../../store/schedules.ts';
import type { ExecutionStore } from '../../store/store.ts';
import type { EngineReport } from '../report.ts';
import type { RoundResult } from '../scheduling/round-result.ts';
import { createFollowRuns } from './follow-runs.ts';
import { idsOf, startFire, type StartFireDeps } from './start-fire.ts';
import { watchEndedRuns } from './watch-ended-runs.ts';

/*
 * Fires schedules, each fire once.
 *
 * A round reads the due schedules and advances each by one turn (`domain/schedules/plan-turn.ts`),
 * by an update that depends on the row that it read. A turn that starts something first records the
 * fire. Then the execution starts under the id derived from the fire, and its outcome is written if
 * the record still exists. So several processes may do this at once. If one dies in between, its
 * record is due again ten seconds later and the start is repeated; an execution that already exists
 * was started before.
 */

export interface ScheduleFiring {
  /** `dueInMs`: until the next is due; null: none will be, or there is more at once. */
  round(): Promise<RoundResult & { readonly dueInMs: number | null }>;
}

const ROUND_MAX = 50;
const POSTPONE_MS = 60_000;

export function createScheduleFiring(deps: {
  readonly store: ScheduleStore;
  readonly executions: Pick<ExecutionStore, 'find' | 'events'>;
  readonly start: StartFireDeps['start'];
  readonly cancel: StartFireDeps['cancel'];
  readonly wake: Wake;
  readonly report: Pick<EngineReport, 'count' | 'trouble'>;
}): ScheduleFiring {
  const { store, executions, wake, report } = deps;
  const followRuns = createFollowRuns(executions);
  const endedRuns = watchEndedRuns(wake);

  async function takeOn(listed: DueSchedule): Promise<void> {
    const due = await withLastRun(listed);
    const { schedule } = due;
    const { scheduleId } = schedule;
    const turn = planOrPostpone(due, report);
    const waits = turn.position.waitingFireAt !== null;
    endedRuns.watch({ scheduleId, executionId: waits ? schedule.lastExecutionId : null });
    const { position, dueAt, counts, error, start } = turn;
    const change = { scheduleId, turn: schedule.turn, position, dueAt, counts, error };
    if (!(await store.turn(change))) return;
    for (const outcome of ['skipped', 'missed', 'failed'] as const) {
      if (counts[outcome] > 0) report.count('schedule_fires', counts[outcome], { outcome });
    }
    if (start !== null) await startFire({ ...deps, followRuns }, schedule, start);
  }

  /** An execution that continues as another is live as long as that one is. */
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

  return {
    async round() {
      const early = endedRuns.take(ROUND_MAX);
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

/** One that cannot be worked out stands aside, so that it does not hold up the others for ever. */
function planOrPostpone(due: DueSchedule, report: Pick<EngineReport, 'trouble'>): Turn {
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
