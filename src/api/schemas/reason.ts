import { z } from 'zod';

import { omittable } from './text.ts';

const REASON_CHARS_MAX = 1_000;

/** The reason for a pause or a cancel, for later readers. */
export const reasonBody = z.strictObject({
  reason: omittable(z.string().min(1).max(REASON_CHARS_MAX)).meta({
    description: 'Reason for the pause.',
  }),
});
