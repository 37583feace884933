import { z } from 'zod';

import {
  LABEL_LENGTH_MAX,
  LABEL_NAME,
  LABEL_NAME_RULE,
  LABELS_MAX,
  tellTooMany,
} from '../../shared/domain/execution/labels/labels.ts';

const name = z.string().regex(LABEL_NAME, `${LABEL_NAME_RULE}: rename it`);

const text = z
  .string('must be text: give a number or a boolean as text, such as "1", and leave null out')
  .min(1, 'must not be empty: leave the label out')
  // PostgreSQL stores no such character.
  .regex(/^[^\0]*$/, 'must not contain the character U+0000: remove it');

const TOO_LONG = `must be at most ${LABEL_LENGTH_MAX} characters: shorten it, or leave the label out`;

const OBJECT_RULE = 'must be an object of names and texts, such as {"tier": "gold"}';

/** Labels as callers give them. */
export const givenLabels = labelsWith(
  // `max` would count an emoji once, and definitions and SDKs count its two code units.
  text
    .refine((value) => value.length <= LABEL_LENGTH_MAX, TOO_LONG)
    .meta({ maxLength: LABEL_LENGTH_MAX }),
);

/** Labels in events: earlier versions counted an emoji once. */
export const recordedLabels = labelsWith(text.max(LABEL_LENGTH_MAX, TOO_LONG));

/** Labels as they are kept. */
export const keptLabels = z.record(z.string(), z.string());

function labelsWith(value: z.ZodType<string, string>) {
  return z
    .record(name, value, {
      error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : OBJECT_RULE),
    })
    .refine((labels) => Object.keys(labels).length <= LABELS_MAX, {
      error: ({ input }) => tellTooMany(Object.keys(input as object).length),
    })
    .meta({ maxProperties: LABELS_MAX });
}
