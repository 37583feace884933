import { z } from 'zod';

import type { ShownDeadLetter } from '../../../shared/engine/work/show-dead-letters.ts';
import type { ShownUndoing } from '../../../shared/engine/work/show-undo.ts';
import { anyValue } from '../../schemas/json-values.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

/** `unseen`: why a value of an undo is null although it has one. */
export function deadLetterShape({ unseen }: { readonly unseen: string }) {
  return {
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
          description: `Values that are null here: ${unseen}.`,
        }),
      })
      .nullable()
      .meta({
        description:
          'The completed visit that it is to undo; null: none. `POST /work-items/{id}/requeue` runs the ' +
          'undo again. `POST /executions/{id}/cancel` gives up undos when only dead letters are left.',
      }),
    dead_lettered_at: timestamp,
  };
}

export function shapeDeadLetter(letter: ShownDeadLetter) {
  return {
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
  };
}

function shapeUndoing({ nodeId, visit, input, output, omitted }: ShownUndoing) {
  return { node_id: nodeId, visit, input, output, omitted: [...omitted] };
}
