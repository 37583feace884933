import { z } from 'zod';

import { instantOf } from '../../shared/domain/instant.ts';

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

/** As an approval shows it. */
export const shownHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the `shown_hash` of the approval, which has 64 hex digits');

/** Read-only fields: accepted and ignored, so that clients can send back what they have read. */
export const readOnly = z.unknown().optional().meta({ description: 'As it was read; ignored.' });

/** More than white space, and storable. */
export const SAYS_SOMETHING = '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$';

/** The syntax of an address; its target is checked when it is used. */
export const HTTP_URL = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\u0000-\\u0020@]+$';

/** A field that may be left out; null is the same as leaving it out. */
export function omittable<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

const INSTANT_FORM = 'must be an ISO 8601 instant such as 2026-11-21T10:14:00.000Z';

/** JSON Schema of an object in which a field stands and is not null. */
export function given(name: string) {
  return { required: [name], properties: { [name]: { not: { type: 'null' as const } } } };
}

/** ISO 8601 with a time zone, or a date alone, which is its midnight in UTC; normalised to UTC. */
export const instant = z
  .string()
  .regex(isoInstant(), INSTANT_FORM)
  .transform((text, context) => {
    const instant = instantOf(Date.parse(text));
    // An offset may lead out of the years that a database can hold.
    if (instant !== null) return instant;
    context.addIssue({ code: 'custom', message: INSTANT_FORM });
    return z.NEVER;
  });

/** As the service writes it: UTC with milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' });

export const executionId = z
  .string()
  .meta({ pattern: '^exec_[0-9a-f]{32}$', description: '`exec_` and 32 lowercase hex digits.' });

/** Existing days only: `Date.parse` reads the 30th of February as the 2nd of March. */
function isoInstant(): RegExp {
  const year = '(?:[1-9]\\d{3}|0[1-9]\\d{2}|00[1-9]\\d|000[1-9])';
  const leapYear =
    '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|0[48]|[13579][26])00)';
  const day =
    '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))';
  const date = `(?:${year}-${day}|${leapYear}-02-29)`;
  const time = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,9})?)?';
  const zone = '(?:Z|[+-](?:[01]\\d|2[0-3]):?[0-5]\\d)';
  return new RegExp(`^${date}(?:T${time}${zone})?$`);
}
