import { z } from 'zod';

import type { Moment } from '../../../../shared/engine/executions/history/moment.ts';
import { optionalQuery, queryInteger } from '../../../schemas/query.ts';
import { instant } from '../../../schemas/text.ts';

/** Stands for "none" in a query, which has no null. */
const NONE = Number.MAX_SAFE_INTEGER;

/** Part of the note of each endpoint that folds a history. */
export const FOLD_BOUNDS =
  'The first reading of a long history folds it from its start, and keeps the state at every 2000 ' +
  'events or so. Later readings of any process fold from the nearest one. The answer is 413 where ' +
  'that is more than 100 000 events away. ';

const sequenceText = z
  .string()
  .transform((text, context): NonNullable<Moment> => {
    const sequence = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(sequence)) return { sequence };
    context.addIssue({ code: 'custom', message: 'must be a whole number from 0' });
    return z.NEVER;
  })
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const instantText = instant.transform((text): NonNullable<Moment> => ({ instant: text }));

/** Which state, by the event before it or by the time. */
export const stateQuery = z.object({
  at: momentQuery('After this event, or as of this time. Default: the last.'),
  sequence: queryInteger({
    min: 0,
    fallback: NONE,
    description: 'The same as `at`, for a sequence alone.',
  }).meta({ default: undefined }),
});

/** `at` wins. */
export function momentOf(query: z.output<typeof stateQuery>): Moment {
  if (query.at !== null) return query.at;
  return query.sequence === NONE ? null : { sequence: query.sequence };
}

/** A sequence, or a time with its zone; null: none is given. */
export function momentQuery(description: string) {
  return optionalQuery(
    z
      .union([sequenceText, instantText], {
        error:
          'must be the sequence of an event, or a time with its zone such as 2026-01-31T09:30:00Z',
      })
      .meta({
        description: `${description} A sequence from 0, or an ISO 8601 time with its zone.`,
      }),
  );
}
