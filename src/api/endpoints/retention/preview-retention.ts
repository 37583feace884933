import { z } from 'zod';

import { previewPolicy } from '../../../shared/engine/retention/preview-policy.ts';
import { RETENTION_DAYS_MAX } from '../../../shared/domain/retention/retention-policy.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery } from '../../schemas/query.ts';
import { idText, timestamp } from '../../schemas/text.ts';
import { policyShape } from './policy-shape.ts';

const olderThan = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, 'must be a whole number from 1')
  .transform(Number)
  .refine((days) => days <= RETENTION_DAYS_MAX, `must be at most ${RETENTION_DAYS_MAX}`)
  .meta({
    type: 'integer',
    minimum: 1,
    maximum: RETENTION_DAYS_MAX,
    description: 'A policy to consider, in place of those in force.',
  });
const status = z.enum(['completed', 'failed', 'cancelled']);

export const previewRetention = defineEndpoint({
  name: 'preview-retention',
  method: 'GET',
  path: '/retention/preview',
  access: 'operate',
  summary: 'Counts the executions that retention would remove now',
  note:
    'Looks through 20 000 executions, oldest first, for a quarter of a second; `complete` is ' +
    'false if there are more, and all numbers are then the least. ' +
    '`svc retention preview` looks through all.',
  query: z.object({
    workflow_id: optionalQuery(idText),
    status: optionalQuery(status),
    older_than_days: optionalQuery(olderThan),
  }),
  replies: {
    200: z.object({
      groups: z.array(
        z.object({
          workflow_id: z.string(),
          status,
          executions: z.int(),
          events: z.int(),
          estimated_bytes: z.int(),
          oldest_end: timestamp,
        }),
      ),
      released_artifacts: z
        .object({ artifacts: z.int(), bytes: z.int() })
        .meta({ description: 'Those to which nothing but these executions refers.' }),
      complete: z.boolean(),
      defaults: policyShape.omit({ workflow_id: true }).meta({
        description: 'The configuration, which applies where no policy does.',
      }),
    }),
  },
  async handle({ query, caller }, { engine, system }) {
    const { groups, released, isComplete } = await previewPolicy({ ...engine, system }, caller, {
      workflowId: query.workflow_id,
      status: query.status,
      olderThanDays: query.older_than_days,
    });
    const { completed, failed, cancelled } = system.retentionDefaults;
    return {
      status: 200,
      body: {
        groups: groups.map((group) => ({
          workflow_id: group.workflowId,
          status: group.status,
          executions: group.executions,
          events: group.events,
          estimated_bytes: group.bytes,
          oldest_end: group.oldest,
        })),
        released_artifacts: released,
        complete: isComplete,
        defaults: {
          completed_days: completed,
          failed_days: failed,
          cancelled_days: cancelled,
        },
      },
    };
  },
});
