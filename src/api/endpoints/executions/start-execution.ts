import { startAndAwait } from '../../../shared/engine/executions/results/await-result.ts';
import { startExecution as start } from '../../../shared/engine/executions/start-execution.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { readIdempotencyKey } from '../../schemas/idempotency-key.ts';
import { executionId } from '../../schemas/text.ts';
import {
  pendingShape,
  resultShape,
  shapePending,
  shapeResult,
  waitForEnd,
  withState,
} from './result-shape.ts';
import { readStart, readTraceparent, refuseMisspelt, startFields } from './start-fields.ts';

export const startExecution = defineEndpoint({
  name: 'start-execution',
  method: 'POST',
  path: '/executions',
  access: 'write',
  summary: 'Starts an execution of a workflow',
  note:
    'With an `Idempotency-Key` header, the same key and body within 24 hours give the same ' +
    '`execution_id`; the same key with another body gives 409. A workflow whose `concurrency` refuses ' +
    'starts gives 409 with `code` `concurrency_limit`. A member that is nearly a rule or a time, such as ' +
    '`concurency` or `deadline`, gives 400. A `traceparent` header puts ' +
    'its spans into the caller’s trace. With `wait`, the answer is 200 with the result when the ' +
    'execution ends within that time, and 202 when it does not; without it, 201 at once.',
  query: z.object({
    wait: waitForEnd('How long to wait for the end of the execution.'),
    state: withState,
  }),
  body: z.object(startFields),
  inspectBody: refuseMisspelt,
  replies: { 200: resultShape, 201: z.object({ execution_id: executionId }), 202: pendingShape },
  errors: [404, 409, 429],
  async handle(request, { engine }) {
    const { body, caller, query } = request;
    // Refused before anything is started.
    const waiting = query.wait > 0 ? request.waitForResult() : null;
    const asked = {
      ...readStart(body),
      idempotencyKey: readIdempotencyKey(request.header('Idempotency-Key')),
      signal: request.gone(),
      ...readTraceparent(request),
    };
    if (waiting === null) {
      const { executionId: startedId } = await start(engine, caller, asked);
      return { status: 201, body: { execution_id: startedId } };
    }
    const awaited = await startAndAwait(engine, caller, {
      start: asked,
      waitMs: query.wait,
      withState: query.state,
      signal: waiting,
    });
    return 'ended' in awaited
      ? { status: 200, body: shapeResult(awaited.ended) }
      : { status: 202, body: shapePending(awaited.pending) };
  },
});
