import { releaseWorkItem as release } from '../../../shared/engine/work/release-work-item.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { leaseFence, workItemParam } from './settle-fields.ts';

export const releaseWorkItem = defineEndpoint({
  name: 'release-work-item',
  method: 'POST',
  path: '/work-items/:id/release',
  access: 'work',
  summary: 'Gives a claimed work item back to its queue',
  note:
    'For an item that the worker can’t do. A release uses no attempt and leaves no event. ' +
    'The item keeps its place in the queue, and is handed out again after a pause of 1 to 10 ' +
    's. A stale fence gives 409 `{released: false, reason}`; a repeated request during the ' +
    'pause gives 200 again.',
  params: workItemParam,
  body: z.object({ lease_fence: leaseFence }),
  replies: { 200: z.object({ released: z.literal(true), work_item_id: z.string() }) },
  errors: [404, 409],
  async handle({ params, body, caller }, { engine }) {
    const { workItemId } = await release(engine, caller, {
      workItemId: params.id,
      leaseFence: body.lease_fence,
    });
    return { status: 200, body: { released: true, work_item_id: workItemId } };
  },
});
