import { z } from 'zod';

import { WORKER_QUEUES, type WorkerQueue } from '../../../shared/domain/work/work-item.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { idText, omittable } from '../../schemas/text.ts';
import { shapeClaimed, workItemShape } from './work-item-shape.ts';

const WAIT_MS_MAX = 20_000;
const ITEMS_MAX = 100;
const QUEUE_TYPES_MAX = 32;

/** Unknown names are left out, so that a worker may name queues of a newer engine. */
const queueTypes = z
  .array(idText)
  .min(1, 'must name at least one queue type')
  .max(QUEUE_TYPES_MAX, `must name at most ${QUEUE_TYPES_MAX} queue types`)
  .transform((names, context): WorkerQueue[] => {
    const known = WORKER_QUEUES.filter((queue) => names.includes(queue));
    if (known.length === 0) {
      context.addIssue({ code: 'custom', message: `must name ${WORKER_QUEUES.join(' or ')}` });
    }
    return known;
  });

export const claimWorkItem = defineEndpoint({
  name: 'claim-work-item',
  method: 'POST',
  path: '/work-items/claim',
  access: 'work',
  summary: 'Claims the next work item under a lease',
  body: z.object({
    worker_id: idText,
    queue_types: queueTypes,
    wait_ms: omittable(z.int().min(0, 'must not be negative')).meta({
      description: `Long poll: how long to wait for an item; at most ${WAIT_MS_MAX}.`,
    }),
    max_items: omittable(z.int().min(1, 'must be at least 1')).meta({
      description: `Claims up to this many, at most ${ITEMS_MAX}; the answer then has \`work_items\`.`,
    }),
    host: omittable(idText).meta({ description: 'For `GET /workers`; default: the address.' }),
    version: omittable(idText).meta({ description: 'For `GET /workers`.' }),
  }),
  replies: {
    200: z.object({
      claimed: z.boolean(),
      work_item: workItemShape.optional(),
      work_items: z.array(workItemShape).optional(),
    }),
  },
  async handle(request, { engine, traceparentOf }) {
    const { body, caller } = request;
    const claimed = await engine.claimWork({
      tenantId: caller.tenantId,
      workerId: body.worker_id,
      queues: body.queue_types,
      maxItems: Math.min(body.max_items ?? 1, ITEMS_MAX),
      waitMs: Math.min(body.wait_ms ?? 0, WAIT_MS_MAX),
      signal: request.abandoned(),
      host: body.host ?? request.remoteAddress,
      version: body.version ?? 'unknown',
    });
    const items = await Promise.all(
      claimed.map(async (item) => {
        const { attempt, record } = item;
        const traceparent = await traceparentOf?.({ ...record, attempt });
        return { ...shapeClaimed(item), ...(typeof traceparent === 'string' && { traceparent }) };
      }),
    );
    const several = body.max_items === null ? {} : { work_items: items };
    const [first] = items;
    return {
      status: 200,
      body:
        first === undefined
          ? { claimed: false, ...several }
          : { claimed: true, work_item: first, ...several },
    };
  },
});
