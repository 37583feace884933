import { listApprovals as list } from '../../../shared/engine/executions/list-approvals.ts';
import { z } from 'zod';

import type { JsonObject, JsonValue } from '../../../shared/domain/json.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { deadlineFields, tellDeadline } from '../../schemas/approval-fields.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

const pendingShape = z.object({
  node_id: z.string(),
  visit: z.int(),
  description: z.string().nullable(),
  requested_at: timestamp,
  timeout_ms: z.number().nullable(),
  ...deadlineFields,
  tool: z.string().nullable().meta({ description: 'The tool that is called after a yes.' }),
  arguments: z
    .custom<JsonValue>((value) => value !== undefined)
    .meta({
      description: 'Arguments of the call, as data policies show them; null without a tool.',
    }),
  shown: anyObject
    .nullable()
    .meta({ description: 'The action after an approval, such as the tool and its input.' }),
  shown_hash: z
    .string()
    .nullable()
    .meta({ description: 'SHA-256 of the canonical JSON of `shown`.' }),
  step: z.string().optional().meta({ description: 'The approval of a durable function.' }),
});

const decidedShape = z.object({
  node_id: z.string(),
  visit: z.int(),
  decision: z.enum(['approved', 'rejected']),
  user_id: z.string().nullable(),
  comment: z.string().nullable(),
  shown_hash: z.string().nullable(),
  step: z.string().optional(),
  decided_at: timestamp,
});

export const listApprovals = defineEndpoint({
  name: 'list-approvals',
  method: 'GET',
  path: '/executions/:id/approvals',
  access: 'read',
  summary: 'Lists the approvals of an execution, open and decided',
  params: executionParam,
  replies: {
    200: z.object({
      execution_id: executionId,
      pending: z.array(pendingShape),
      decided: z.array(decidedShape),
    }),
  },
  errors: [404],
  async handle({ params, caller }, { engine }) {
    const approvals = await list(engine, caller, {
      executionId: params.id,
    });
    return {
      status: 200,
      body: {
        execution_id: approvals.executionId,
        pending: approvals.pending.map((approval) => ({
          node_id: approval.nodeId,
          visit: approval.visit,
          description: approval.description,
          requested_at: approval.requestedAt,
          timeout_ms: approval.timeoutMs,
          ...tellDeadline(approval),
          ...callOf(approval.shown),
          shown: approval.shown,
          shown_hash: approval.shownHash,
          ...(approval.step !== null && { step: approval.step }),
        })),
        decided: approvals.decided.map((approval) => ({
          node_id: approval.nodeId,
          visit: approval.visit,
          decision: approval.decision,
          user_id: approval.userId,
          comment: approval.comment,
          shown_hash: approval.shownHash,
          ...(approval.step !== null && { step: approval.step }),
          decided_at: approval.decidedAt,
        })),
      },
    };
  },
});

/** The call that an approval is about; approvals of budgets and of whole nodes are about none. */
function callOf(shown: JsonObject | null) {
  const { tool = null, input = null } = shown ?? {};
  return typeof tool === 'string' ? { tool, arguments: input } : { tool: null, arguments: null };
}
