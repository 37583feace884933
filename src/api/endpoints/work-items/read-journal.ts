import { readJournal as read } from '../../../shared/engine/work/functions/read-journal.ts';
import { PAGE_ENTRIES_MAX } from '../../../shared/engine/work/functions/read-entries.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { queryInteger } from '../../schemas/query.ts';
import { journalShape, shapeJournal } from './journal-shapes.ts';
import { workItemParam } from './settle-fields.ts';

export const readJournal = defineEndpoint({
  name: 'read-journal',
  method: 'GET',
  path: '/work-items/:id/journal',
  access: 'work',
  summary: 'Reads the journal of a durable function that a worker has',
  note: 'Only under the lease. A page ends at 200 entries, or earlier at 256 KiB.',
  params: workItemParam,
  query: z.object({
    lease_fence: z
      .string()
      .regex(/^[1-9]\d{0,15}$/, 'must be a positive integer')
      .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
      .meta({ type: 'integer', minimum: 1, description: 'As the claim gave it.' }),
    from: queryInteger({ min: 0, fallback: 0, description: 'Position of the first entry.' }),
    limit: queryInteger({ min: 1, clampTo: PAGE_ENTRIES_MAX, fallback: PAGE_ENTRIES_MAX }),
  }),
  replies: { 200: journalShape },
  errors: [400, 404, 409],
  async handle({ params, query, caller }, { engine }) {
    const page = await read(engine, caller, {
      workItemId: params.id,
      leaseFence: query.lease_fence,
      from: query.from,
      limit: query.limit,
    });
    return { status: 200, body: shapeJournal(page) };
  },
});
