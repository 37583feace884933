import { z } from 'zod';

import { WAIT_KINDS, WORKER_ENTRY_KINDS } from '../../shared/domain/execution/function-events.ts';
import { anyObject } from './json-values.ts';

/* Members that payloads of several kinds of events share. */

export const object = z.looseObject;
export const count = z.int().min(0);
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID');
export const strictExecutionId = z
  .string()
  .regex(/^exec_[0-9a-f]{32}$/, 'must be exec_ and 32 lowercase hex digits');
export const anyValue = z.custom<unknown>((value) => value !== undefined, 'is required');
export const names = z.array(z.string());
export const text = z.string();
const perName = z.record(text, count);

export const visit = count;
export const attempt = count;
export const workItem = { work_item_id: uuid };

export const usage = object({
  input_tokens: count,
  output_tokens: count,
  cost_usd: z.number().nullable(),
  model: text.optional(),
  finish_reason: text.optional(),
});

export const journalEntry = object({
  identity: text,
  kind: z.enum([...WORKER_ENTRY_KINDS, ...WAIT_KINDS]),
  output: z.unknown().optional(),
  error: object({ message: text, class: text.optional() }).optional(),
  attempts: count.optional(),
  started_at: text.optional(),
  duration_ms: z.number().optional(),
  usage: usage.optional(),
  event_sequence: z.int().optional(),
});

export const carried = object({
  state: anyObject,
  arrivals: z.array(
    object({ from: text.nullable(), to: text, output: anyValue, visit: visit.optional() }),
  ),
  mailbox: z.array(object({ correlation_key: text, payload: anyValue })),
  settled_nodes: names,
  visits: perName.optional(),
  usage,
  budget_grants: perName.optional(),
  budgets_warned: names.optional(),
  maps: z
    .array(
      object({
        node_id: text,
        body: text,
        done: z.array(object({ index: count, item_hash: text, output: anyValue })),
        visits: perName,
      }),
    )
    .optional(),
  approvals: z.array(object({ node_id: text, visit, shown_hash: text })).optional(),
  granted_calls: names.optional(),
  journals: z.array(object({ node_id: text, visit, entries: z.array(journalEntry) })).optional(),
  inputs: z.array(object({ node_id: text, visit, input: anyValue })).optional(),
  undo: z
    .array(
      object({
        node_id: text,
        visit,
        output: anyValue,
        item: object({ key: text, value: anyValue }).optional(),
      }),
    )
    .optional(),
  ending_children: z
    .array(
      object({
        node_id: text,
        visit,
        step: text.optional(),
        child_execution_id: strictExecutionId,
        parent_execution_id: strictExecutionId,
      }),
    )
    .optional(),
});

export const childEnd = {
  visit,
  child_execution_id: strictExecutionId,
  step: text.optional(),
  usage: usage.optional(),
};

export const timer = {
  purpose: z.enum([
    'start_after',
    'start_deadline',
    'wait',
    'approval_timeout',
    'workflow_timeout',
    'function_wait',
    'function_timeout',
    'child_ended',
    'parent_ended',
  ]),
  visit: visit.nullable(),
  step: text.optional(),
};

export const undone = object({
  undone: count,
  not_undone: z.array(object({ node_id: text, visit, error: text })),
});

export const pause = { scope: z.enum(['execution', 'workflow']), by: text };
