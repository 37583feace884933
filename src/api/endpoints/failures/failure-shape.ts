import { z } from 'zod';

import type { FailureMember } from '../../../shared/store/readings/failures.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

export const failureShape = z.object({
  execution_id: executionId,
  work_item_id: z.string().nullable(),
  error: z.string(),
  failed_at: timestamp,
  live: z.boolean(),
});

export function shapeFailure(failure: FailureMember) {
  return {
    execution_id: failure.executionId,
    work_item_id: failure.workItemId,
    error: failure.error,
    failed_at: failure.failedAt,
    live: failure.isLive,
  };
}

export const isExact = z.boolean().meta({
  description: 'False: there may be more failures than were read, so counts are lower bounds.',
});
