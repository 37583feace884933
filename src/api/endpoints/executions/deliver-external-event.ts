import { deliverExternalEvent as deliver } from '../../../shared/engine/executions/deliver-external-event.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { userValue } from '../../schemas/json-values.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionId, idText } from '../../schemas/text.ts';

export const deliverExternalEvent = defineEndpoint({
  name: 'deliver-external-event',
  method: 'POST',
  path: '/executions/:id/external-event',
  access: 'write',
  summary: 'Delivers an external event to an execution',
  note:
    'The open wait with this key takes the event; without one, the event is kept for the ' +
    'next wait. An ended execution accepts nothing: `accepted` is false. An audit entry of a ' +
    'companion (`type` prompt or response, with `advisor`) after the end is still kept: `GET ' +
    '/audit` has it as `companion_prompt` or `companion_response`, and no event is added.',
  params: executionParam,
  body: z.object({ correlation_key: idText, payload: userValue }),
  replies: { 200: z.object({ execution_id: executionId, accepted: z.boolean() }) },
  errors: [404],
  async handle({ params, body, caller }, { engine }) {
    const delivered = await deliver(engine, caller, {
      executionId: params.id,
      correlationKey: body.correlation_key,
      payload: body.payload,
    });
    return {
      status: 200,
      body: { execution_id: delivered.executionId, accepted: delivered.accepted },
    };
  },
});
