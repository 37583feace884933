import { badRequest } from '../../../domain/errors.ts';
import type { ExecutionRow, ExecutionStore } from '../../../store/store.ts';

/** A point in the history of an execution. Null: the last event. */
export type Moment =
  | { readonly sequence: number }
  /** ISO 8601 UTC with milliseconds: the last event that was recorded by then. */
  | { readonly instant: string }
  | null;

/** The sequence of the event that a moment names; 0: before the first. */
export async function resolveMoment(
  executions: Pick<ExecutionStore, 'events'>,
  row: ExecutionRow,
  moment: Moment,
): Promise<number> {
  if (moment !== null && 'instant' in moment) {
    return lastRecordedBy(executions, row, moment.instant);
  }
  const sequence = moment?.sequence ?? row.lastSequence;
  if (sequence <= row.lastSequence) return sequence;
  throw badRequest(
    `execution ${row.executionId} has ${row.lastSequence} events: there is no event ${sequence}`,
  );
}

/** By halves: the times of events never decrease within an execution. */
async function lastRecordedBy(
  executions: Pick<ExecutionStore, 'events'>,
  { executionId, lastSequence }: ExecutionRow,
  instant: string,
): Promise<number> {
  let [last, beyond] = [0, lastSequence + 1];
  while (beyond - last > 1) {
    const middle = Math.floor((last + beyond) / 2);
    const [event] = await executions.events({ executionId, after: middle - 1, limit: 1 });
    if (event !== undefined && event.createdAt <= instant) last = middle;
    else beyond = middle;
  }
  return last;
}
