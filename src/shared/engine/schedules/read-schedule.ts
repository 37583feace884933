import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { missing, viewOf, type ScheduleName, type ScheduleView } from './schedule-view.ts';

/** Newest first. */
export async function listSchedules(
  { store }: EngineDeps,
  { tenantId }: Reader,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly ScheduleView[]> {
  return (await store.schedules.list({ ...page, tenantId })).map(viewOf);
}

export async function readSchedule(
  { store }: EngineDeps,
  { tenantId }: Reader,
  name: ScheduleName,
): Promise<ScheduleView> {
  const { schedule } = name;
  return viewOf((await store.schedules.find({ tenantId, schedule })) ?? missing(name));
}
