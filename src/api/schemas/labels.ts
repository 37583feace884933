import { z } from 'zod';

import {
  LABEL_LENGTH_MAX,
  LABEL_NAME,
  LABEL_NAME_RULE,
  LABELS_MAX,
} from '../../shared/domain/execution/labels/labels.ts';

const name = z.string().regex(LABEL_NAME, LABEL_NAME_RULE);

const value = z
  .string()
  .min(1, 'must not be empty')
  .max(LABEL_LENGTH_MAX, `must be at most ${LABEL_LENGTH_MAX} characters`)
  // PostgreSQL stores no such character.
  .regex(/^[^\0]*$/, 'must not contain the character U+0000');

/** Labels as callers give them. */
export const givenLabels = z
  .record(name, value)
  .refine(
    (labels) => Object.keys(labels).length <= LABELS_MAX,
    `an execution has at most ${LABELS_MAX} labels`,
  )
  .meta({ maxProperties: LABELS_MAX });

/** Labels as they are kept. */
export const keptLabels = z.record(z.string(), z.string());
