import { z } from 'zod';

import { queryInteger } from '../../../schemas/query.ts';

/** Stands for "the last one" in a query, which has no null. */
const LAST = Number.MAX_SAFE_INTEGER;

/** Part of the note of each endpoint that folds a history. */
export const FOLD_BOUNDS =
  'The first reading of a history folds it from its start, and the process keeps it for the next ' +
  'ones. The answer is 413 for an execution of more than 100 000 events. ';

/** Which state, by the event before it. */
export const atSequence = z.object({
  sequence: sequenceOrLast('After this event; 0: before the first. Default: the last.'),
});

export function sequenceOrLast(description: string) {
  return queryInteger({ min: 0, fallback: LAST, description }).meta({ default: undefined });
}

/** Null: the last one. */
export function orLast(sequence: number): number | null {
  return sequence === LAST ? null : sequence;
}
