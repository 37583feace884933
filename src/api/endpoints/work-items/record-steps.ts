import { recordSteps as record } from '../../../shared/engine/work/functions/record-steps.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { idText, omittable } from '../../schemas/text.ts';
import { entries, exceededShape, expectedLength, shapeExceeded } from './journal-shapes.ts';
import { leaseFence, workItemParam } from './settle-fields.ts';

export const recordSteps = defineEndpoint({
  name: 'record-steps',
  method: 'POST',
  path: '/work-items/:id/steps',
  access: 'work',
  summary: 'Appends entries to the journal of a durable function',
  note:
    'The same request twice appends once. 409 `{recorded: false, reason}` writes nothing: ' +
    '`stale_fence`: the item belongs to another worker now · `journal_conflict`: the journal is not ' +
    'as the worker knows it, and `length` tells how long it is.',
  params: workItemParam,
  body: z.object({
    worker_id: omittable(idText),
    lease_fence: leaseFence,
    expected_length: expectedLength,
    entries: entries.min(1, 'must be at least one entry'),
  }),
  replies: {
    200: z.object({
      recorded: z.literal(true),
      work_item_id: z.string(),
      length: z.int().meta({ description: 'Entries in the journal after these.' }),
      budget_exceeded: exceededShape.optional(),
    }),
  },
  errors: [400, 404, 409],
  async handle({ params, body, caller }, { engine }) {
    const { workItemId, length, exceeded } = await record(engine, caller, {
      workItemId: params.id,
      leaseFence: body.lease_fence,
      expectedLength: body.expected_length,
      entries: body.entries,
    });
    return {
      status: 200,
      body: {
        recorded: true,
        work_item_id: workItemId,
        length,
        ...(exceeded !== null && { budget_exceeded: shapeExceeded(exceeded) }),
      },
    };
  },
});
