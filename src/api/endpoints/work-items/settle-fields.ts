import { z } from 'zod';

import { omittable } from '../../schemas/text.ts';

/**
 * A fence as sent. 0, negative and fractional values are no fences at all. One beyond what a
 * double holds exactly can only be stale: it is taken for the largest, which is never given out.
 */
export const leaseFence = z
  .number()
  .refine((fence) => Number.isInteger(fence) && fence > 0, 'must be a positive integer')
  .transform((fence) => Math.min(fence, Number.MAX_SAFE_INTEGER))
  .meta({ type: 'integer', minimum: 1, description: 'As the claim gave it.' });

/** Fields of `complete` and `fail` that must match the recorded item. */
export const settleFields = {
  lease_fence: omittable(leaseFence),
  execution_id: omittable(z.string()),
  node_id: omittable(z.string()),
};

/** RFC 9745. The behaviour has been deprecated from the start, so the date is the earliest. */
export const DEPRECATION_HEADERS = { Deprecation: '@0' };

export const workItemParam = z.object({ id: z.string().meta({ description: 'Work item id.' }) });
