import { continueFunction } from '../../../shared/engine/work/functions/continue-function.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { userObject } from '../../schemas/json-values.ts';
import { idText, omittable } from '../../schemas/text.ts';
import { entries, expectedLength } from './journal-shapes.ts';
import { leaseFence, workItemParam } from './settle-fields.ts';

export const continueWorkItem = defineEndpoint({
  name: 'continue-work-item',
  method: 'POST',
  path: '/work-items/:id/continue',
  access: 'work',
  summary: 'Ends the visit of a durable function and begins another one with a new input',
  note:
    'One commit records the entries and ends the item. The next visit of the node has its own item, an ' +
    'empty journal and attempts from 0. Open waits and their children end. 400 while compensations are ' +
    'registered that have not run. The same request twice has the same answer until the next visit ' +
    'ends. 409 as for `steps`.',
  params: workItemParam,
  body: z.object({
    worker_id: omittable(idText),
    lease_fence: leaseFence,
    expected_length: expectedLength,
    entries: omittable(entries),
    input: userObject.meta({ description: 'Input of the next visit.' }),
  }),
  replies: { 200: z.object({ continued: z.literal(true), work_item_id: z.string() }) },
  errors: [400, 404, 409],
  async handle({ params, body, caller }, { engine }) {
    const { workItemId } = await continueFunction(engine, caller, {
      workItemId: params.id,
      leaseFence: body.lease_fence,
      expectedLength: body.expected_length,
      entries: body.entries ?? [],
      input: body.input,
    });
    return { status: 200, body: { continued: true, work_item_id: workItemId } };
  },
});
