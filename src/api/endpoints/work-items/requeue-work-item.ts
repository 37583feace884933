import { requeueWorkItem as requeue } from '../../../shared/engine/work/requeue-work-item.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { workItemParam } from './settle-fields.ts';

export const requeueWorkItem = defineEndpoint({
  name: 'requeue-work-item',
  method: 'POST',
  path: '/work-items/:id/requeue',
  access: 'write',
  summary: 'Requeues a dead-lettered work item',
  note: 'Its attempts start again from 0.',
  params: workItemParam,
  replies: { 200: z.object({ requeued: z.literal(true), work_item_id: z.string() }) },
  errors: [404, 409],
  async handle({ params, caller }, { engine }) {
    const { workItemId } = await requeue(engine, caller, {
      workItemId: params.id,
    });
    return { status: 200, body: { requeued: true, work_item_id: workItemId } };
  },
});
