import { failWorkItem as fail } from '../../../shared/engine/work/fail-work-item.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { idText, omittable } from '../../schemas/text.ts';
import { DEPRECATION_HEADERS, settleFields, workItemParam } from './settle-fields.ts';
import { journalFields } from './journal-shapes.ts';
import { usageFields, usageOf } from './usage-fields.ts';

const RETRY_AFTER_MS_MAX = 30 * 86_400_000;

export const failWorkItem = defineEndpoint({
  name: 'fail-work-item',
  method: 'POST',
  path: '/work-items/:id/fail',
  access: 'work',
  summary: 'Settles an attempt at a work item as failed',
  note:
    'A stale fence gives 409 and nothing is written. Omitting `lease_fence` is deprecated: ' +
    'the item is settled without an event, and the answer carries a `warning`.',
  params: workItemParam,
  body: z.object({
    ...settleFields,
    ...usageFields,
    error: z.string(),
    ...journalFields,
    final: omittable(z.boolean()).meta({
      description: 'True: no further attempt, even if the retry policy allows one.',
    }),
    retry_after_ms: omittable(
      z
        .int()
        .min(0, 'must not be negative')
        .max(RETRY_AFTER_MS_MAX, `must be at most ${RETRY_AFTER_MS_MAX}`),
    ).meta({
      description:
        'The next attempt, if one is left, follows after this time instead of the back-off of the ' +
        `retry policy; at most ${RETRY_AFTER_MS_MAX}, 30 days.`,
    }),
    error_class: omittable(idText).meta({
      description: 'For `retryable_on` and `non_retryable_on` of the retry policy.',
    }),
  }),
  replies: {
    200: z.object({
      failed: z.literal(true),
      work_item_id: z.string(),
      retryable: z.boolean(),
      attempt: z.int().meta({ description: 'The attempt that just failed, from 0.' }),
      warning: z.string().optional(),
    }),
  },
  errors: [404, 409],
  async handle({ params, body, caller }, { engine }) {
    const failed = await fail(engine, caller, {
      workItemId: params.id,
      leaseFence: body.lease_fence,
      executionId: body.execution_id,
      nodeId: body.node_id,
      error: body.error,
      errorClass: body.error_class ?? 'error',
      usage: usageOf(body),
      entries: body.entries ?? [],
      expectedLength: body.expected_length,
      isFinal: body.final === true,
      retryAfterMs: body.retry_after_ms,
    });
    const { warning } = failed;
    return {
      status: 200,
      headers: warning === null ? {} : DEPRECATION_HEADERS,
      body: {
        failed: true,
        work_item_id: failed.workItemId,
        retryable: failed.retryable,
        attempt: failed.attempt,
        ...(warning === null ? {} : { warning }),
      },
    };
  },
});
