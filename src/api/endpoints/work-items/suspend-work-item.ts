import { suspendFunction } from '../../../shared/engine/work/functions/suspend-function.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { idText, omittable } from '../../schemas/text.ts';
import { entries, entryShape, expectedLength, shapeEntry, waits } from './journal-shapes.ts';
import { leaseFence, workItemParam } from './settle-fields.ts';

export const suspendWorkItem = defineEndpoint({
  name: 'suspend-work-item',
  method: 'POST',
  path: '/work-items/:id/suspend',
  access: 'work',
  summary: 'Ends the turn of a durable function until one of its waits is satisfied',
  note:
    'Entries and waits are one commit, and no attempt is used. With `resumed` a wait is satisfied ' +
    'already: the turn continues with `entries` at the end of its journal. Otherwise the item comes back ' +
    'with the next turn once any of its waits is satisfied. A wait that is open keeps its deadline. ' +
    'Without waits, the item comes back as soon as the budgets allow another turn. ' +
    'The same request twice has the same answer. 409 as for `steps`.',
  params: workItemParam,
  body: z.object({
    worker_id: omittable(idText),
    lease_fence: leaseFence,
    expected_length: expectedLength,
    entries: omittable(entries),
    waits,
  }),
  replies: {
    200: z.object({
      suspended: z.boolean(),
      resumed: z.boolean(),
      work_item_id: z.string(),
      length: z.int(),
      entries: z.array(entryShape).optional(),
    }),
  },
  errors: [400, 404, 409],
  async handle({ params, body, caller }, { engine }) {
    const answer = await suspendFunction(engine, caller, {
      workItemId: params.id,
      leaseFence: body.lease_fence,
      expectedLength: body.expected_length,
      entries: body.entries ?? [],
      waits: body.waits,
    });
    return {
      status: 200,
      body: {
        suspended: answer.entries === null,
        resumed: answer.entries !== null,
        work_item_id: answer.workItemId,
        length: answer.length,
        ...(answer.entries !== null && { entries: answer.entries.map(shapeEntry) }),
      },
    };
  },
});
