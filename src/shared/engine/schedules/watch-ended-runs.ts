import type { ExecutionId } from '../../domain/ids.ts';
import type { Wake } from '../../ports/wake.ts';
import { SCHEDULES_TOPIC } from '../wake/wake-bus.ts';
import { endedTopic } from '../wake/awaited-ends.ts';

/** Hints for fires that wait; when one is lost, or comes in another process, the poll finds the fire. */
export interface EndedRuns {
  /** `executionId`: the run that a fire of the schedule waits for; null: none waits. */
  watch(waiting: { readonly scheduleId: string; readonly executionId: ExecutionId | null }): void;
  /** Schedules whose run has ended, at most `max`; gives each once. */
  take(max: number): readonly string[];
}

export function watchEndedRuns(wake: Wake): EndedRuns {
  const watched = new Map<string, { readonly executionId: ExecutionId; end(): void }>();
  let ended: string[] = [];
  return {
    watch({ scheduleId, executionId }) {
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
    },
    take(max) {
      const taken = ended.slice(0, max);
      ended = ended.slice(max);
      return taken;
    },
  };
}
