import type { Caller } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { missing, viewOf, type ScheduleName, type ScheduleView } from './schedule-view.ts';

/** The schedule as it was. */
export async function deleteSchedule(
  { store }: EngineDeps,
  { tenantId, actorId }: Caller,
  name: ScheduleName,
): Promise<ScheduleView> {
  const { schedule } = name;
  return viewOf((await store.schedules.remove({ tenantId, actorId, schedule })) ?? missing(name));
}
