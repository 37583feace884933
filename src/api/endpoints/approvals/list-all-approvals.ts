import { z } from 'zod';

import { parseExecutionId } from '../../../shared/domain/ids.ts';
import type { JsonValue } from '../../../shared/domain/json.ts';
import {
  listDecidedApprovals,
  listOpenApprovals,
  type ListedApproval,
} from '../../../shared/engine/approvals/list-all-approvals.ts';
import type { ApprovalCursor } from '../../../shared/store/readings/approvals.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { deadlineFields, tellDeadline } from '../../schemas/approval-fields.ts';
import { columnsText, encodePosition, isTimestamp } from '../../schemas/position.ts';
import { nextCursor, optionalQuery, paging } from '../../schemas/query.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

const cursorColumns = z.tuple([z.string().refine(isTimestamp), z.string(), z.int().positive()]);

const cursorText = columnsText((columns): ApprovalCursor | null => {
  const parsed = cursorColumns.safeParse(columns);
  if (!parsed.success) return null;
  const [at, id, sequence] = parsed.data;
  const execution = parseExecutionId(id);
  return execution === null ? null : { at, executionId: execution, sequence };
});

const approvalShape = z.object({
  execution_id: executionId,
  workflow_id: z.string(),
  node_id: z.string(),
  visit: z.int(),
  step: z.string().nullable().meta({ description: 'The approval of a durable function.' }),
  description: z.string().nullable(),
  requested_at: timestamp,
  age_seconds: z.int().min(0).meta({
    description: 'How long it has waited; of a decided one, until the decision.',
  }),
  ...deadlineFields,
  tool: z.string().nullable().meta({ description: 'The tool that is called after a yes.' }),
  arguments: z
    .custom<JsonValue>((value) => value !== undefined)
    .meta({ description: 'Arguments of the call; null without a tool.' }),
  shown: anyObject.nullable().meta({ description: 'The action after an approval.' }),
  shown_hash: z.string().nullable().meta({
    description: 'SHA-256 of the canonical JSON of `shown`; a decision may name it.',
  }),
  decision: z.enum(['approved', 'rejected']).nullable(),
  user_id: z.string().nullable(),
  actor_id: z.string().nullable().meta({ description: 'The caller that sent the decision.' }),
  comment: z.string().nullable(),
  decided_at: timestamp.nullable(),
});

export const listAllApprovals = defineEndpoint({
  name: 'list-all-approvals',
  method: 'GET',
  path: '/approvals',
  access: 'read',
  readsMayLag: true,
  summary: 'Lists the approvals of all executions',
  note:
    'Open ones are listed oldest first; decided ones of the last 90 days, latest decision first. ' +
    'Follow `next_cursor` for more: a page may have fewer approvals than `limit`.',
  query: z.object({
    status: optionalQuery(z.enum(['pending', 'decided'])),
    workflow_id: optionalQuery(z.string()),
    node_id: optionalQuery(z.string()),
    limit: paging.limit,
    cursor: optionalQuery(cursorText),
  }),
  replies: { 200: z.object({ approvals: z.array(approvalShape), next_cursor: nextCursor }) },
  async handle({ query, caller }, { engine }) {
    const list = query.status === 'decided' ? listDecidedApprovals : listOpenApprovals;
    const { approvals, next } = await list(engine, caller, {
      workflowId: query.workflow_id,
      nodeId: query.node_id,
      limit: query.limit,
      cursor: query.cursor,
    });
    return {
      status: 200,
      body: {
        approvals: approvals.map(shapeApproval),
        next_cursor: next && encodePosition([next.at, next.executionId, next.sequence]),
      },
    };
  },
});

function shapeApproval(approval: ListedApproval) {
  const { tool = null, input = null } = approval.shown ?? {};
  const { decided } = approval;
  return {
    execution_id: approval.executionId,
    workflow_id: approval.workflowId,
    node_id: approval.nodeId,
    visit: approval.visit,
    step: approval.step,
    description: approval.description,
    requested_at: approval.requestedAt,
    age_seconds: approval.ageSeconds,
    ...tellDeadline(approval),
    ...(typeof tool === 'string' ? { tool, arguments: input } : { tool: null, arguments: null }),
    shown: approval.shown,
    shown_hash: approval.shownHash,
    decision: decided?.decision ?? null,
    user_id: decided?.userId ?? null,
    actor_id: decided?.actorId ?? null,
    comment: decided?.comment ?? null,
    decided_at: decided?.at ?? null,
  };
}
