import { decideApproval } from '../../../shared/engine/executions/decide-approval.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { userObject } from '../../schemas/json-values.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionId, idText, omittable, shownHash } from '../../schemas/text.ts';

export const approveExecution = defineEndpoint({
  name: 'approve-execution',
  method: 'POST',
  path: '/executions/:id/approve',
  access: 'approve',
  summary: 'Decides an approval that an execution waits for',
  note: 'When no approval is open, nothing is written and `accepted` is false.',
  params: executionParam,
  body: z.object({
    decision: z.enum(['approved', 'rejected']),
    node_id: omittable(idText).meta({ description: 'Required when several approvals are open.' }),
    user_id: omittable(idText).meta({ description: 'The user who decides.' }),
    comment: omittable(z.string()),
    shown_hash: omittable(shownHash).meta({
      description:
        'The `shown_hash` that was decided on. 409 when the open approval shows something else.',
    }),
    step: omittable(idText).meta({
      description: 'The approval of a durable function; required when it waits for several.',
    }),
    state_patch: omittable(userObject).meta({
      description: 'JSON Merge Patch (RFC 7396) of the state, applied on approval only.',
    }),
  }),
  replies: {
    200: z.object({
      execution_id: executionId,
      accepted: z.boolean(),
      node_id: z.string().nullable(),
      step: z.string().optional(),
    }),
  },
  errors: [400, 404, 409],
  async handle({ params, body, caller }, { engine }) {
    const answer = await decideApproval(engine, caller, {
      executionId: params.id,
      decision: body.decision,
      nodeId: body.node_id,
      userId: body.user_id,
      comment: body.comment,
      shownHash: body.shown_hash,
      statePatch: body.state_patch,
      step: body.step,
    });
    return {
      status: 200,
      body: {
        execution_id: answer.executionId,
        accepted: answer.accepted,
        node_id: answer.nodeId,
        ...(answer.step !== undefined && { step: answer.step }),
      },
    };
  },
});
