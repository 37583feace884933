import { z } from 'zod';

import { parseDuration } from '../../shared/domain/workflow/parse/parse-duration.ts';
import { OFFSET_MAX } from '../offset-max.ts';

/** A whole number in a query. Larger values than `clampTo` are taken for it, and than `max` refused. */
export function queryInteger(params: {
  readonly min: number;
  readonly fallback: number;
  readonly clampTo?: number;
  readonly max?: number;
  readonly description?: string;
}) {
  const { min, fallback, clampTo, max = Number.MAX_SAFE_INTEGER, description } = params;
  return z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined) return fallback;
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      const clamped = clampTo === undefined ? value : Math.min(value, clampTo);
      if (clamped >= min && clamped <= max) return clamped;
      const bounds = params.max === undefined ? `from ${min}` : `from ${min} to ${max}`;
      context.addIssue({ code: 'custom', message: `must be a whole number ${bounds}` });
      return z.NEVER;
    })
    .meta({
      type: 'integer',
      minimum: min,
      ...(clampTo === undefined ? { maximum: max } : {}),
      default: fallback,
      description: [description, clampTo && `Values above ${clampTo} are taken for ${clampTo}.`]
        .filter(Boolean)
        .join(' '),
    });
}

/** Milliseconds of a duration in a query, 0 when it is left out; longer ones are taken for `maxMs`. */
export function queryDuration(params: { readonly maxMs: number; readonly description: string }) {
  const { maxMs, description } = params;
  return z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined) return 0;
      const ms = parseDuration(SECONDS.test(text) ? Number(text) : text);
      if (ms !== null) return Math.min(ms, maxMs);
      context.addIssue({ code: 'custom', message: 'must be a duration such as 500ms, 30s or 1m' });
      return z.NEVER;
    })
    .meta({
      pattern: '^\\s*[0-9]+(\\.[0-9]+)?\\s*(ms|s|m|h|d)?\\s*$',
      default: '0s',
      description: `${description} Longer ones are taken for ${maxMs / 1_000}s.`,
    });
}

const SECONDS = /^\d+(?:\.\d+)?$/;

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 500;

/** `limit`, `offset` and `cursor` of a list that is answered whole where no `limit` is given. */
export function pagingOfWhole<Position extends z.ZodType>(cursor: Position) {
  return {
    limit: queryInteger({
      min: 1,
      fallback: WHOLE,
      clampTo: LIMIT_MAX,
      description: 'Default: everything.',
    }).meta({ default: undefined }),
    offset: paging.offset,
    cursor: optionalQuery(cursor),
  };
}

/** Stands for "no limit" in the query, which has no null. */
export const WHOLE = Number.POSITIVE_INFINITY;

export const nextCursor = z.string().nullable().meta({ description: 'Null on the last page.' });

/** The fields of a page besides its rows. */
export const pageFields = {
  total: z.int().meta({ description: 'How many there are in all.' }),
  next_cursor: nextCursor,
};

/** `limit` and `offset` as every list takes them. */
export const paging = {
  limit: queryInteger({ min: 1, fallback: LIMIT_DEFAULT, clampTo: LIMIT_MAX }),
  offset: queryInteger({
    min: 0,
    fallback: 0,
    description: `Beyond ${OFFSET_MAX}, the answer is 400 unless the list has ended: use \`cursor\`.`,
  }),
};

/** `true` or `false` in a query; left out it is false. */
export function queryFlag(description: string) {
  return z
    .enum(['true', 'false'])
    .optional()
    .transform((text) => text === 'true')
    .meta({ default: 'false', description });
}

/** One of some words in a query; left out it is the first. */
export function queryWord<const Words extends readonly [string, ...string[]]>(
  words: Words,
  description: string,
) {
  return z
    .enum(words)
    .optional()
    .transform((word): Words[number] => word ?? words[0])
    .meta({ default: words[0], description });
}

/** A query parameter that may be left out. */
export function optionalQuery<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value ?? null);
}
