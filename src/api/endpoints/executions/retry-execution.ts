import { retryExecution as retry } from '../../../shared/engine/executions/retry-execution.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { userObject } from '../../schemas/json-values.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionId, omittable } from '../../schemas/text.ts';

export const retryExecution = defineEndpoint({
  name: 'retry-execution',
  method: 'POST',
  path: '/executions/:id/retry',
  access: 'write',
  summary: 'Retries a failed or cancelled execution as a new one',
  note:
    'The new execution begins with the final state of the first one. Completed nodes do not ' +
    'run again; the failed node does, and so do the nodes in progress at that time: a `map` ' +
    'with its unfinished items, a `subgraph` with a new child, an approval asked again. ' +
    'Tools are called under the same idempotency keys as before, unless their input has ' +
    'changed. Model usage keeps counting. The new execution has no parent, because the first ' +
    'one has already reported its end. An execution has one retry, so you can repeat the ' +
    'request: 409 then names it as `retried_as`. A live or completed execution gives 400.',
  params: executionParam,
  body: z.strictObject({
    state_patch: omittable(userObject).meta({
      description: 'JSON Merge Patch (RFC 7396) of the new execution’s first state.',
    }),
    revision: omittable(z.enum(['same', 'latest'])).meta({
      description:
        '`latest`: use the latest registered definition, which must have the nodes that run ' +
        'next; `same`, the default: use that of the execution.',
    }),
  }),
  bodyMayBeAbsent: true,
  replies: { 201: z.object({ execution_id: executionId, retried_from: executionId }) },
  errors: [400, 404, 409],
  async handle({ params, body, caller }, { engine }) {
    const retried = await retry(engine, caller, {
      executionId: params.id,
      statePatch: body.state_patch,
      revision: body.revision ?? 'same',
    });
    return {
      status: 201,
      body: { execution_id: retried.executionId, retried_from: retried.retriedFrom },
    };
  },
});
