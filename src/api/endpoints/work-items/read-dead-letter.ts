import { z } from 'zod';

import { readDeadLetter as read } from '../../../shared/engine/work/read-dead-letter.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyValue } from '../../schemas/json-values.ts';
import { timestamp } from '../../schemas/text.ts';
import { executionStatus } from '../executions/execution-shape.ts';
import { deadLetterShape, shapeDeadLetter } from './dead-letter-shape.ts';
import { workItemParam } from './settle-fields.ts';

const action = z.object({
  allowed: z.boolean(),
  reason: z.string().nullable().meta({ description: 'Why it is not possible; null: it is.' }),
});

export const readDeadLetter = defineEndpoint({
  name: 'read-dead-letter',
  method: 'GET',
  path: '/work-items/:id',
  access: 'write',
  summary: 'Reads a dead-lettered work item',
  note: 'With its input, its failed attempts, and what can be done about it.',
  params: workItemParam,
  replies: {
    200: z.object({
      ...deadLetterShape({ unseen: 'a data policy hides them' }),
      workflow_id: z.string(),
      execution_status: executionStatus,
      visit: z.int(),
      max_attempts: z.int(),
      input: anyValue.meta({ description: 'The input of the item, as its worker got it.' }),
      omitted: z
        .array(z.literal('input'))
        .meta({ description: 'Values that are null here: a data policy hides them.' }),
      failures: z
        .array(
          z.object({
            attempt: z.int(),
            error: z.string(),
            worker_id: z.string().nullable(),
            failed_at: timestamp,
          }),
        )
        .meta({ description: 'The failed attempts of its visit, oldest first; the latest 50.' }),
      actions: z.object({
        requeue: action.meta({ description: '`POST /work-items/{id}/requeue`.' }),
        give_up: action.meta({
          description:
            '`POST /executions/{id}/cancel`. It ends the execution; of one that is ending, it gives up the undo.',
        }),
      }),
    }),
  },
  errors: [404],
  async handle({ params, caller }, { engine }) {
    const letter = await read(engine, caller, { workItemId: params.id });
    return {
      status: 200,
      body: {
        ...shapeDeadLetter(letter),
        workflow_id: letter.workflowId,
        execution_status: letter.executionStatus,
        visit: letter.visit,
        max_attempts: letter.attemptsMax,
        input: letter.input,
        omitted: letter.isInputHidden ? ['input' as const] : [],
        failures: letter.failures.map(({ attempt, error, workerId, failedAt }) => ({
          attempt,
          error,
          worker_id: workerId,
          failed_at: failedAt,
        })),
        actions: {
          requeue: shapeAction(letter.requeueRefusal),
          give_up: shapeAction(letter.giveUpRefusal),
        },
      },
    };
  },
});

function shapeAction(refusal: string | null) {
  return { allowed: refusal === null, reason: refusal };
}
