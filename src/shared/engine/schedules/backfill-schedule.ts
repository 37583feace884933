import { badRequest, SvcError } from '../../domain/errors.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import { fireExecutionId } from '../../domain/schedules/fire-execution-id.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import { nextFires } from '../../domain/schedules/timing.ts';
import type { Caller } from '../caller.ts';
import { isIdTaken, startExecution } from '../executions/start-execution.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { missing, type ScheduleName } from './schedule-view.ts';

export interface BackfillSchedule extends ScheduleName {
  /** ISO instant, included. */
  readonly from: string;
  /** ISO instant, not included; must have passed. */
  readonly to: string;
  /** At most so many fires; the answer says where to continue. */
  readonly limit: number;
  /** Starts nothing. */
  readonly dryRun: boolean;
}

export interface Backfill {
  /** Oldest first. */
  readonly fires: readonly BackfilledFire[];
  /** The first fire that is left; null: none is. */
  readonly nextFrom: string | null;
  /** Why the fire at `nextFrom` was refused; null: it was not reached. */
  readonly stoppedBy: string | null;
}

export interface BackfilledFire {
  readonly fireAt: string;
  readonly executionId: ExecutionId;
  /** `existed`: the fire was started before, by its time or by another backfill. */
  readonly outcome: 'started' | 'existed' | 'would_start';
}

export const BACKFILL_FIRES_MAX = 1_000;

/** Starts that are under way at the same time. */
const STARTS_MAX = 20;
const PRIORITY = 5;

/**
 * Starts the executions of the fires that a schedule had, or would have had, in a time that has
 * passed. Each has the id of its fire, so that no fire starts twice, however often this is repeated.
 * The schedule itself stays as it is. Throws 404, and the error of the first start if nothing was
 * started before it.
 */
export async function backfillSchedule(
  deps: UseCaseDeps,
  caller: Caller,
  params: BackfillSchedule,
): Promise<Backfill> {
  const { from, to, limit } = params;
  const { schedules } = deps.store;
  const found = await schedules.find({ tenantId: caller.tenantId, schedule: params.schedule });
  const schedule = found ?? missing(params);
  if (Date.parse(from) >= Date.parse(to)) throw badRequest('from must be before to');
  if (Date.parse(to) > Date.parse(await schedules.now())) {
    throw badRequest('to must have passed: later fires start at their time');
  }
  const after = new Date(Date.parse(from) - 1).toISOString();
  const due = nextFires(schedule, { after, count: limit + 1 }).filter(
    (fireAt) => Date.parse(fireAt) < Date.parse(to),
  );
  const wanted = due.slice(0, limit).map((fireAt) => fireOf(schedule, fireAt));
  const rest = due[limit] ?? null;
  if (params.dryRun) {
    const fires = await Promise.all(wanted.map((fire) => foresee(deps, caller, fire)));
    return { fires, nextFrom: rest, stoppedBy: null };
  }
  return startAll(deps, caller, { schedule, wanted, rest });
}

type Fire = Omit<BackfilledFire, 'outcome'>;

function fireOf({ scheduleId }: Schedule, fireAt: string): Fire {
  return { fireAt, executionId: fireExecutionId({ scheduleId, fireAt }) };
}

async function foresee(
  { store }: UseCaseDeps,
  { tenantId }: Caller,
  fire: Fire,
): Promise<BackfilledFire> {
  const existing = await store.executions.find(fire.executionId, tenantId);
  return { ...fire, outcome: existing === null ? 'would_start' : 'existed' };
}

async function startAll(
  deps: UseCaseDeps,
  caller: Caller,
  of: {
    readonly schedule: Schedule;
    readonly wanted: readonly Fire[];
    readonly rest: string | null;
  },
): Promise<Backfill> {
  const { schedule, wanted, rest } = of;
  const fires: BackfilledFire[] = [];
  for (let begun = 0; begun < wanted.length; begun += STARTS_MAX) {
    const batch = wanted.slice(begun, begun + STARTS_MAX);
    const outcomes = await Promise.allSettled(
      batch.map((fire) => startOne(deps, caller, { schedule, fire })),
    );
    for (const [index, outcome] of outcomes.entries()) {
      const fire = batch[index];
      if (fire === undefined) continue;
      if (outcome.status === 'fulfilled') {
        fires.push({ ...fire, outcome: outcome.value });
        continue;
      }
      const { reason } = outcome;
      if (fires.length === 0 || !(reason instanceof SvcError)) throw reason;
      // Those after it may have started; a repeat finds them.
      return { fires, nextFrom: fire.fireAt, stoppedBy: reason.message };
    }
  }
  return { fires, nextFrom: rest, stoppedBy: null };
}

async function startOne(
  deps: UseCaseDeps,
  caller: Caller,
  { schedule, fire }: { readonly schedule: Schedule; readonly fire: Fire },
): Promise<'started' | 'existed'> {
  const { workflowId, workflowVersion, input } = schedule;
  try {
    await startExecution(deps, caller, {
      workflowId,
      workflowVersion,
      input,
      executionId: fire.executionId,
      priority: PRIORITY,
      idempotencyKey: null,
      whenBusy: 'waits',
    });
    return 'started';
  } catch (error) {
    if (isIdTaken(error, fire.executionId)) return 'existed';
    // This very execution may be what has reached a limit.
    const found = await deps.store.executions.find(fire.executionId, caller.tenantId);
    if (found !== null) return 'existed';
    throw error;
  }
}
