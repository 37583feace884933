import { z } from 'zod';

import {
  RETENTION_DAYS_MAX,
  type RetentionDays,
  type RetentionPolicy,
} from '../../../shared/domain/retention/retention-policy.ts';
import { omittable } from '../../schemas/text.ts';

const days = z
  .int()
  .min(0, 'must be at least 0')
  .max(RETENTION_DAYS_MAX, `must be at most ${RETENTION_DAYS_MAX}`);

const NOT_SAID = 'Days after the end; 0: forever. Omitted: as the less specific policy says.';

export const daysFields = {
  completed_days: omittable(days).meta({ description: NOT_SAID }),
  failed_days: omittable(days).meta({ description: NOT_SAID }),
  cancelled_days: omittable(days).meta({ description: NOT_SAID }),
};

export const policyShape = z.object({
  workflow_id: z
    .string()
    .nullable()
    .meta({ description: 'Null: all workflows of the tenant without their own policy.' }),
  completed_days: days.nullable(),
  failed_days: days.nullable(),
  cancelled_days: days.nullable(),
});

export function shapePolicy({ workflowId, days: of }: Omit<RetentionPolicy, 'tenantId'>) {
  return {
    workflow_id: workflowId,
    completed_days: of.completed,
    failed_days: of.failed,
    cancelled_days: of.cancelled,
  };
}

export function readDays(body: {
  readonly completed_days: number | null;
  readonly failed_days: number | null;
  readonly cancelled_days: number | null;
}): RetentionDays {
  return {
    completed: body.completed_days,
    failed: body.failed_days,
    cancelled: body.cancelled_days,
  };
}
