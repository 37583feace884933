import { z } from 'zod';

import { decideApprovals as decideAll } from '../../../shared/engine/approvals/decide-approvals.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { idText, omittable, shownHash } from '../../schemas/text.ts';

const DECISIONS_MAX = 100;

export const decideApprovals = defineEndpoint({
  name: 'decide-approvals',
  method: 'POST',
  path: '/approvals/decide',
  access: 'approve',
  summary: 'Decides approvals of several executions',
  note:
    'Each decision is like a request of its own, with a result of its own: `error` says why it was ' +
    'refused. When no approval is open, nothing is written and `accepted` is false.',
  body: z.strictObject({
    comment: omittable(z.string()).meta({
      description: 'The reason of each decision that has no comment of its own.',
    }),
    decisions: z
      .array(
        z.strictObject({
          execution_id: idText,
          decision: z.enum(['approved', 'rejected']),
          node_id: omittable(idText),
          step: omittable(idText),
          user_id: omittable(idText).meta({ description: 'The user who decides.' }),
          comment: omittable(z.string()),
          shown_hash: omittable(shownHash).meta({
            description: 'The `shown_hash` that was decided on.',
          }),
        }),
      )
      .min(1)
      .max(DECISIONS_MAX),
  }),
  replies: {
    200: z.object({
      results: z.array(
        z.object({
          execution_id: z.string(),
          accepted: z.boolean(),
          node_id: z.string().nullable(),
          step: z.string().nullable(),
          error: z.string().nullable(),
          status: z.int().nullable().meta({ description: 'Status that the error would have.' }),
        }),
      ),
    }),
  },
  async handle({ body, caller }, { engine }) {
    const verdicts = await decideAll(engine, caller, {
      decisions: body.decisions.map((one) => ({
        executionId: one.execution_id,
        decision: one.decision,
        nodeId: one.node_id,
        step: one.step,
        userId: one.user_id,
        comment: one.comment ?? body.comment,
        shownHash: one.shown_hash,
        statePatch: null,
      })),
    });
    const results = verdicts.map((verdict) => {
      if ('refused' in verdict) {
        const { message, status } = verdict.refused;
        const { executionId } = verdict;
        return { ...NOTHING, execution_id: executionId, error: message, status };
      }
      const { executionId, accepted, nodeId, step = null } = verdict.answer;
      return { ...NOTHING, execution_id: executionId, accepted, node_id: nodeId, step };
    });
    return { status: 200, body: { results } };
  },
});

const NOTHING = { accepted: false, node_id: null, step: null, error: null, status: null };
