import { z } from 'zod';

import { TERMINAL_STATUSES } from '../../../shared/domain/execution/status.ts';
import type {
  ExecutionResult,
  NotEnded,
} from '../../../shared/engine/executions/results/read-result.ts';
import { anyObject, anyValue } from '../../schemas/json-values.ts';
import { queryDuration, queryFlag } from '../../schemas/query.ts';
import { executionId } from '../../schemas/text.ts';
import { executionStatus } from './execution-shape.ts';

/** Below the minute after which many proxies give up on an answer that has not begun. */
const WAIT_MS_MAX = 60_000;

export function waitForEnd(description: string) {
  return queryDuration({ maxMs: WAIT_MS_MAX, description });
}

/** Apart from the output, because it may be large. */
export const withState = queryFlag('Adds the final `state` to the result.');

export const resultShape = z.object({
  execution_id: executionId,
  status: z.enum(TERMINAL_STATUSES),
  output: anyValue.meta({
    description:
      'The value under the `output_key` of the node that ends the workflow, if every node that can ' +
      'end it has the same one; otherwise the final state. Null if the execution did not complete.',
  }),
  error: z
    .object({
      message: z.string(),
      class: z.string().meta({
        description: 'Class of the failure, such as `timeout`; `cancelled` after a cancel.',
      }),
      node_id: z.string().nullable(),
    })
    .nullable()
    .meta({ description: 'Null if and only if the execution completed.' }),
  state: anyObject
    .optional()
    .meta({ description: 'The final state, with any status; only with `state=true`.' }),
  continued_as: executionId.nullable().meta({
    description: 'The run that continues this one: ask for its result instead.',
  }),
});

export const pendingShape = z.object({
  execution_id: executionId,
  status: executionStatus,
});

export function shapeResult(result: ExecutionResult): z.input<typeof resultShape> {
  const { error, state } = result;
  return {
    execution_id: result.executionId,
    status: result.status,
    output: result.output,
    error: error && { message: error.message, class: error.errorClass, node_id: error.nodeId },
    ...(state !== null && { state }),
    continued_as: result.continuedAs,
  };
}

export function shapePending(pending: NotEnded): z.input<typeof pendingShape> {
  return { execution_id: pending.executionId, status: pending.status };
}
