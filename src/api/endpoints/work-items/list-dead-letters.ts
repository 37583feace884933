import { listDeadLetters as list } from '../../../shared/engine/executions/list-shown.ts';
import { z } from 'zod';

import { parseWorkItemId } from '../../../shared/domain/ids.ts';
import type { DeadLetter } from '../../../shared/store/store.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { readPage } from '../../offset-max.ts';
import { encodeTimedCursor, timedCursorText } from '../../schemas/position.ts';
import { optionalQuery, paging } from '../../schemas/query.ts';
import { instant } from '../../schemas/text.ts';
import { deadLetterShape, shapeDeadLetter } from './dead-letter-shape.ts';

const letterCursor = timedCursorText((deadLetteredAt, id) => {
  const workItemId = parseWorkItemId(id);
  if (workItemId === null || !instant.safeParse(deadLetteredAt).success) return null;
  return { deadLetteredAt, workItemId };
});

function cursorOf({ deadLetteredAt, workItemId }: DeadLetter): string {
  return encodeTimedCursor(deadLetteredAt, workItemId);
}

export const listDeadLetters = defineEndpoint({
  name: 'list-dead-letters',
  method: 'GET',
  path: '/work-items',
  access: 'write',
  readsMayLag: true,
  summary: 'Lists dead-lettered work items, newest first',
  note: 'Follow `next_cursor` for more; `GET /work-items/{id}` reads one of them.',
  query: z.object({
    status: z.literal('dead_lettered'),
    limit: paging.limit,
    workflow_id: optionalQuery(z.string()),
    node_id: optionalQuery(z.string()),
    cursor: optionalQuery(letterCursor),
    before: optionalQuery(
      instant.meta({ description: 'Only items dead-lettered before this ISO 8601 instant.' }),
    ),
  }),
  replies: {
    200: z.object({
      work_items: z.array(
        z.object(
          deadLetterShape({
            unseen: 'a data policy hides them, or they have more than 4096 characters',
          }),
        ),
      ),
      next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
    }),
  },
  async handle({ query, caller }, { engine }) {
    const { limit, before, workflow_id: workflowId, node_id: nodeId, cursor } = query;
    const { rows: letters, last } = await readPage({ limit, offset: 0 }, (page) =>
      list(engine, caller, { limit: page.limit, before, workflowId, nodeId, cursor }),
    );
    return {
      status: 200,
      body: {
        work_items: letters.map(shapeDeadLetter),
        next_cursor: last === undefined ? null : cursorOf(last),
      },
    };
  },
});
