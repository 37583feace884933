import { z } from 'zod';

import { awaitResult } from '../../../shared/engine/executions/results/await-result.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { executionParam } from '../../schemas/params.ts';
import { refusalIn } from '../../watch-callers.ts';
import {
  pendingShape,
  resultShape,
  shapePending,
  shapeResult,
  waitForEnd,
  withState,
} from './result-shape.ts';

export const readResult = defineEndpoint({
  name: 'read-result',
  method: 'GET',
  path: '/executions/:id/result',
  access: 'read',
  summary: 'Reads how an execution ended, and waits for its end',
  note:
    '200 when the execution has ended, with any status. 202 when it has not ended within `wait`, ' +
    'or when the server shuts down: ask again. The answer comes within milliseconds of the end.',
  params: executionParam,
  query: z.object({ wait: waitForEnd('How long to wait for the end.'), state: withState }),
  replies: { 200: resultShape, 202: pendingShape },
  errors: [404, 429],
  async handle(request, { engine }) {
    const { params, query, caller } = request;
    const signal = query.wait === 0 ? NO_WAIT : request.waitForResult();
    const awaited = await awaitResult(engine, caller, {
      executionId: params.id,
      waitMs: query.wait,
      withState: query.state,
      signal,
    });
    const refusal = refusalIn(signal);
    if (refusal !== null) throw refusal;
    return 'ended' in awaited
      ? { status: 200, body: shapeResult(awaited.ended) }
      : { status: 202, body: shapePending(awaited.pending) };
  },
});

const NO_WAIT = new AbortController().signal;
