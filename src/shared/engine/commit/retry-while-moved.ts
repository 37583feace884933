import { StoreUnavailableError } from '../../store/store.ts';

/**
 * After this many readings, the caller learns that the execution changes too fast. A loop of pure
 * nodes moves with each commit: on a busy machine a cancel lost 50 times in a row to it.
 */
const READINGS_MAX = 500;

/** Nothing is wrong with the store: only this execution cannot be changed now. */
export class MovesTooFastError extends StoreUnavailableError {
  constructor(subject: string) {
    super(`${subject} changes too fast; try again`, { ambiguous: false });
  }
}

/**
 * Repeats an attempt that reads, decides and commits on the condition that nothing has moved, until
 * it gives a result. Null: something moved, or the reading was too old.
 */
export async function retryWhileMoved<Result extends object>(
  /** Named in the error. */
  subject: string,
  attempt: () => Promise<Result | null>,
): Promise<Result> {
  for (let reading = 0; reading < READINGS_MAX; reading += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new MovesTooFastError(subject);
}
