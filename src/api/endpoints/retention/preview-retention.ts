import { z } from 'zod';

import { previewPolicy } from '../../../shared/engine/retention/preview-policy.ts';
import { RETENTION_DAYS_MAX } from '../../../shared/domain/retention/retention-policy.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery, queryInteger } from '../../schemas/query.ts';
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
/** An answer within 50 ms; the console asks for more. */
const SEARCH_MS = 25;
const SEARCH_MS_MAX = 1_000;
const status = z.enum(['completed', 'failed', 'cancelled']);

export const previewRetention = defineEndpoint({
  name: 'preview-retention',
  method: 'GET',
  path: '/retention/preview',
  access: 'operate',
  summary: 'Counts the executions that retention would remove now',
  note:
    'Looks through 20 000 executions, oldest first, for `search_ms` milliseconds; `complete` is ' +
    'false if there are more, and all numbers are then the least. ' +
    '`svc retention preview` looks through all.',
  query: z.object({
    workflow_id: optionalQuery(idText),
    status: optionalQuery(status),
    older_than_days: optionalQuery(olderThan),
    search_ms: queryInteger({
      min: 1,
      fallback: SEARCH_MS,
      clampTo: SEARCH_MS_MAX,
      description: 'How long to look, in milliseconds; a longer look finds more.',
    }),
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
      searchMs: query.search_ms,
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
