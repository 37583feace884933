import { z } from 'zod';

import { omittable } from './text.ts';

const REASON_CHARS_MAX = 1_000;

/** Why somebody holds something up, for whoever wonders later. */
export const reasonBody = z.strictObject({
  reason: omittable(z.string().min(1).max(REASON_CHARS_MAX)).meta({
    description: 'Reason for the pause.',
  }),
});
