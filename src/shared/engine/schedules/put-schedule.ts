import { conflict } from '../../domain/errors.ts';
import type { Schedule, ScheduleSpec } from '../../domain/schedules/schedule.ts';
import { nextFire } from '../../domain/schedules/timing.ts';
import type { Caller } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { SCHEDULES_TOPIC } from '../wake/wake-bus.ts';
import { viewOf, type ScheduleView } from './schedule-view.ts';
import {
  checkScheduledStart,
  checkTiming,
  isChanging,
  TRIES_MAX,
  tryUpdate,
} from './update-schedule.ts';

export interface NamedSpec {
  readonly name: string;
  readonly spec: ScheduleSpec;
}

/** The most schedules of a tenant. */
export const SCHEDULES_MAX = 1_000;

/** Creates a schedule. One of that name is replaced as a whole, and keeps its id. */
export async function putSchedule(
  deps: EngineDeps,
  caller: Caller,
  named: NamedSpec,
): Promise<{ readonly schedule: ScheduleView; readonly isNew: boolean }> {
  const { name, spec } = named;
  checkTiming(spec);
  await checkScheduledStart(deps, caller, spec);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const created = await tryCreate(deps, caller, named);
    const schedule = created ?? (await tryReplace(deps, caller, named));
    if (schedule === null) continue;
    deps.wake.notify([SCHEDULES_TOPIC]);
    return { schedule: viewOf(schedule), isNew: created !== null };
  }
  throw isChanging(name);
}

/** Null: there is one of that name. */
async function tryCreate(
  { store, ids }: EngineDeps,
  { tenantId, actorId }: Caller,
  { name, spec }: NamedSpec,
): Promise<Schedule | null> {
  const created = await store.schedules.create({
    ...spec,
    scheduleId: ids.uuid(),
    tenantId,
    name,
    nextFireAt: spec.paused ? null : nextFire(spec, await store.schedules.now()),
    actorId,
    schedulesMax: SCHEDULES_MAX,
  });
  if (created === 'taken') return null;
  if (created === 'limited') {
    throw conflict(`there are ${SCHEDULES_MAX} schedules already; delete one first`);
  }
  return created;
}

/** Null: it moved in between, or is gone. */
async function tryReplace(
  deps: EngineDeps,
  caller: Caller,
  { name, spec }: NamedSpec,
): Promise<Schedule | null> {
  const { tenantId } = caller;
  const known = await deps.store.schedules.find({ tenantId, schedule: name });
  if (known === null) return null;
  const { scheduleId: schedule } = known;
  return tryUpdate(deps, caller, { schedule, changes: spec, ifRevision: null, name: null });
}
