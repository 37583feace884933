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
  summary: 'Goes on, as another execution, where one has failed or was cancelled',
  note:
    'The new execution begins with the state that the first one ended with. Nodes that had completed are ' +
    'not run again; the one that failed is, and so are those that were under way when it did: a `map` with ' +
    'all its items, a `subgraph` with a new child, an approval asked anew. Tools are called under the ' +
    'idempotency keys that they were called under before, unless their input has changed. What models have ' +
    'used counts on. The new execution has no parent: that of the first one has been told of its end. ' +
    'There is one retry of an execution, so it is safe to ask again: 409 then names it as `retried_as`. ' +
    'One that has not ended, or has completed, gives 400.',
  params: executionParam,
  body: z.strictObject({
    state_patch: omittable(userObject).meta({
      description: 'JSON Merge Patch (RFC 7396) of the state that it goes on with.',
    }),
    revision: omittable(z.enum(['same', 'latest'])).meta({
      description:
        '`latest`: on the definition registered last, which must have the nodes where it goes on; ' +
        '`same`, the default: on that of the execution.',
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
