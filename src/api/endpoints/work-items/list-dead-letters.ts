import { listDeadLetters as list } from '../../../shared/engine/executions/list-shown.ts';
import { z } from 'zod';

import { parseWorkItemId } from '../../../shared/domain/ids.ts';
import type { ShownUndoing } from '../../../shared/engine/work/show-undo.ts';
import type { DeadLetter } from '../../../shared/store/store.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyValue } from '../../schemas/json-values.ts';
import { encodeTimedCursor, timedCursorText } from '../../schemas/position.ts';
import { optionalQuery, paging } from '../../schemas/query.ts';
import { executionId, instant, timestamp } from '../../schemas/text.ts';

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
  note: 'Follow `next_cursor` for more.',
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
        z.object({
          id: z.string(),
          execution_id: executionId,
          node_id: z.string(),
          queue_type: z.string(),
          status: z.literal('dead_lettered'),
          tool: z.string(),
          attempt: z.int(),
          error: z.string(),
          handled: z.boolean().meta({
            description:
              'The node failed and the execution continued: by a failure edge, a fallback node or its map.',
          }),
          undoes: z
            .object({
              node_id: z.string(),
              visit: z.int(),
              input: anyValue.meta({ description: 'The input of the undo.' }),
              output: anyValue.meta({ description: 'The output of the visit that it is to undo.' }),
              omitted: z.array(z.enum(['input', 'output'])).meta({
                description:
                  'Values that are null here: a data policy hides them, or they have more than 4096 characters.',
              }),
            })
            .nullable()
            .meta({
              description:
                'The completed visit that it is to undo; null: none. `POST /work-items/{id}/requeue` runs the ' +
                'undo again. `POST /executions/{id}/cancel` gives up undos when only dead letters are left.',
            }),
          dead_lettered_at: timestamp,
        }),
      ),
      next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
    }),
  },
  async handle({ query, caller }, { engine }) {
    const letters = await list(engine, caller, {
      limit: query.limit,
      before: query.before,
      workflowId: query.workflow_id,
      nodeId: query.node_id,
      cursor: query.cursor,
    });
    const last = letters.length === query.limit ? letters.at(-1) : undefined;
    return {
      status: 200,
      body: {
        work_items: letters.map((letter) => ({
          id: letter.workItemId,
          execution_id: letter.executionId,
          node_id: letter.nodeId,
          queue_type: letter.queue,
          status: 'dead_lettered' as const,
          tool: letter.tool,
          attempt: letter.attempt,
          error: letter.error,
          handled: letter.handled,
          undoes: letter.undoes && shapeUndoing(letter.undoes),
          dead_lettered_at: letter.deadLetteredAt,
        })),
        next_cursor: last === undefined ? null : cursorOf(last),
      },
    };
  },
});

function shapeUndoing({ nodeId, visit, input, output, omitted }: ShownUndoing) {
  return { node_id: nodeId, visit, input, output, omitted: [...omitted] };
}
