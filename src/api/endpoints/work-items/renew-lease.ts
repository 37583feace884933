import { renewLease as renew } from '../../../shared/engine/work/renew-lease.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { idText, timestamp } from '../../schemas/text.ts';
import { leaseFence, workItemParam } from './settle-fields.ts';

export const renewLease = defineEndpoint({
  name: 'renew-lease',
  method: 'POST',
  path: '/work-items/:id/heartbeat',
  access: 'work',
  summary: 'Renews the lease of a work item',
  note:
    'A stale fence gives 409 `{renewed: false, work_item_id, reason}`: the item belongs to ' +
    'another worker now, and this one must stop and abandon it.',
  params: workItemParam,
  body: z.object({ worker_id: idText, lease_fence: leaseFence }),
  replies: {
    200: z.object({
      renewed: z.literal(true),
      work_item_id: z.string(),
      lease_expires_at: timestamp,
      cancel_requested: z.boolean().optional().meta({
        description: 'For a durable function: its execution is being cancelled.',
      }),
    }),
  },
  errors: [404, 409],
  async handle({ params, body, caller }, { engine }) {
    const lease = await renew(engine, caller, {
      workItemId: params.id,
      workerId: body.worker_id,
      leaseFence: body.lease_fence,
    });
    const { cancelRequested } = lease;
    return {
      status: 200,
      body: {
        renewed: true,
        work_item_id: lease.workItemId,
        lease_expires_at: lease.expiresAt,
        ...(cancelRequested !== null && { cancel_requested: cancelRequested }),
      },
    };
  },
});
