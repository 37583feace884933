import { completeWorkItem as complete } from '../../../shared/engine/work/complete-work-item.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { userObject } from '../../schemas/json-values.ts';
import { givenLabels } from '../../schemas/labels.ts';
import { omittable } from '../../schemas/text.ts';
import { DEPRECATION_HEADERS, settleFields, workItemParam } from './settle-fields.ts';
import { journalFields } from './journal-shapes.ts';
import { usageFields, usageOf } from './usage-fields.ts';

export const completeWorkItem = defineEndpoint({
  name: 'complete-work-item',
  method: 'POST',
  path: '/work-items/:id/complete',
  access: 'work',
  summary: 'Settles a work item with its result',
  note:
    'A stale fence gives 409 `{completed: false, reason}` and nothing is written: the worker ' +
    'treats it as done and does not follow it with `fail`. Omitting `lease_fence` or ' +
    '`idempotency_key` is deprecated: the answer then has a `Deprecation` header.',
  params: workItemParam,
  body: z.object({
    ...settleFields,
    output: userObject,
    state_patch: userObject,
    labels: omittable(givenLabels).meta({
      description:
        'Labels of the execution. They replace those of the same names; with the others, an ' +
        'execution has at most 16.',
    }),
    duration_ms: omittable(z.int().min(0, 'must not be negative')),
    // The engine judges its form, because an unknown item and a stale fence come first.
    idempotency_key: omittable(z.string()).meta({ description: 'As the claim gave it.' }),
    ...usageFields,
    finish_reason: omittable(z.string()),
    ...journalFields,
  }),
  replies: { 200: z.object({ completed: z.literal(true), work_item_id: z.string() }) },
  errors: [404, 409],
  async handle(request, { engine }) {
    const { params, body, caller } = request;
    const settled = await complete(engine, caller, {
      workItemId: params.id,
      leaseFence: body.lease_fence,
      executionId: body.execution_id,
      nodeId: body.node_id,
      idempotencyKey: body.idempotency_key,
      output: body.output,
      statePatch: body.state_patch,
      ...(body.labels !== null && { labels: body.labels }),
      durationMs: body.duration_ms,
      genAiModel: body.gen_ai_model,
      finishReason: body.finish_reason,
      usage: usageOf(body),
      entries: body.entries ?? [],
      expectedLength: body.expected_length,
      signal: request.gone(),
    });
    return {
      status: 200,
      headers: settled.deprecated ? DEPRECATION_HEADERS : {},
      body: { completed: true, work_item_id: settled.workItemId },
    };
  },
});
