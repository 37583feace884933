import { nextFires, type ScheduleTiming } from '../../domain/schedules/timing.ts';
import type { EngineDeps } from '../deps.ts';
import { checkTiming } from './update-schedule.ts';

/** The next fires of a timing, by the database's clock. Throws 400 for a timing that is wrong. */
export async function previewFires(
  { store }: Pick<EngineDeps, 'store'>,
  { timing, count }: { readonly timing: ScheduleTiming; readonly count: number },
): Promise<readonly string[]> {
  checkTiming(timing);
  return nextFires(timing, { after: await store.schedules.now(), count });
}
