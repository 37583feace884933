import { z } from 'zod';

/** Ids and keys: short enough for an index and a log line. */
export const ID_BYTES_MAX = 512;

export const idText = z
  .string()
  .min(1, 'must not be empty')
  .refine(
    (text) => Buffer.byteLength(text) <= ID_BYTES_MAX,
    `must be at most ${ID_BYTES_MAX} bytes`,
  )
  .meta({ maxLength: ID_BYTES_MAX });

/** What a read answers and nobody sets: accepted and ignored, so that what was read can be sent back. */
export const readOnly = z.unknown().optional().meta({ description: 'As it was read; ignored.' });

/** A field that may be left out; null is the same as leaving it out. */
export function omittable<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

/** ISO 8601 with a time zone, or a date alone, which is its midnight in UTC; normalised to UTC. */
export const instant = z.string().transform((text, context) => {
  const millis = ISO_INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(millis)) return new Date(millis).toISOString();
  context.addIssue({
    code: 'custom',
    message: 'must be an ISO 8601 instant such as 2026-11-21T10:14:00.000Z',
  });
  return z.NEVER;
});

/** As the service writes it: UTC with milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' });

export const executionId = z
  .string()
  .meta({ pattern: '^exec_[0-9a-f]{32}$', description: '`exec_` and 32 lowercase hex digits.' });

const ISO_INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/;
