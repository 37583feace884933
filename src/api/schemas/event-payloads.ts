import { z } from 'zod';

import type { EventKind } from '../../shared/domain/execution/event.ts';
import { WAIT_KINDS } from '../../shared/domain/execution/function-events.ts';
import { TERMINAL_STATUSES } from '../../shared/domain/execution/status.ts';
import { anyObject } from './json-values.ts';
import { recordedLabels } from './labels.ts';
import {
  anyValue,
  attempt,
  carried,
  childEnd,
  count,
  journalEntry,
  names,
  object,
  pause,
  strictExecutionId,
  text,
  timer,
  undone,
  usage,
  uuid,
  visit,
  workItem,
} from './payload-members.ts';

/*
 * Schemas of event payloads, for events from outside. Every field that any code reads has its shape
 * here; unknown fields of a newer release are accepted and kept.
 */

/** Kinds of events that belong to no node, by their payloads. */
const OF_EXECUTION = {
  WorkflowStarted: object({
    workflow_id: text,
    workflow_version: text,
    definition_id: uuid,
    input: anyObject,
    labels: recordedLabels.optional(),
    parent_execution_id: strictExecutionId.optional(),
    parent_node_id: text.optional(),
    parent_visit: visit.optional(),
    parent_step: text.optional(),
    depth: count.optional(),
    continued_from: strictExecutionId.optional(),
    carried: carried.optional(),
    retried_from: object({
      execution_id: strictExecutionId,
      sequence: count,
      node_id: text.nullable(),
      keys_of: strictExecutionId,
    }).optional(),
    forked_from: object({
      execution_id: strictExecutionId,
      sequence: count,
      node_id: text.nullable(),
    }).optional(),
    is_batch: z.literal(true).optional(),
    start_rules: anyObject.optional(),
    traceparent: text.optional(),
  }),
  BatchClosed: object({
    execution_ids: z.array(strictExecutionId),
    input: object({ items: z.array(anyObject) }),
  }),
  TimerStarted: object({
    ...timer,
    delay_ms: z.number().optional(),
    until: text.optional(),
    count_suspended: z.literal(false).optional(),
  }),
  TimerFired: object(timer),
  BudgetExceeded: object({
    visit: visit.nullable(),
    account: text,
    tokens: count,
    token_budget: z.number().nullable(),
    input_tokens: count.optional(),
    input_token_budget: count.optional(),
    output_tokens: count.optional(),
    output_token_budget: count.optional(),
    cost_usd: z.number(),
    cost_budget_usd: z.number().nullable(),
    action: text,
  }),
  ExternalEventReceived: object({ correlation_key: text, payload: anyValue }),
  ExecutionPaused: object({ ...pause, reason: text.optional() }),
  ExecutionResumed: object({ ...pause, reason: text.optional() }),
  WorkflowEnding: object({
    outcome: z.enum(TERMINAL_STATUSES),
    reason: text.optional(),
    error: text.optional(),
    error_class: text.optional(),
    node_id: text.nullable().optional(),
  }),
  WorkflowCompleted: object({ continued_as: strictExecutionId.optional() }),
  WorkflowFailed: object({
    error: text,
    error_class: text,
    node_id: text.nullable(),
    undo: undone.optional(),
  }),
  WorkflowCancelled: object({ reason: text.optional(), undo: undone.optional() }),
} satisfies Partial<Record<EventKind, z.ZodType>>;

const OF_NODE = {
  NodeScheduled: object({
    visit,
    node_kind: text,
    phase: z.enum([
      'none',
      'work',
      'approval',
      'timer',
      'event',
      'either',
      'map',
      'child',
      'suspended',
    ]),
    from: names,
    work_item_id: uuid.optional(),
    queue: text.optional(),
    idempotency_key: text.optional(),
    output_key: text.optional(),
    correlation_key: text.optional(),
    item_count: count.optional(),
    carried_items: z.array(count).optional(),
    granted_hash: text.optional(),
    map: object({ node_id: text, visit, index: count }).optional(),
    continues: visit.optional(),
    undo: text.optional(),
    undoes: object({ node_id: text, visit, sequence: count.nullable() }).optional(),
  }),
  NodeStarted: object({ visit }),
  ToolCallCompleted: object({ visit, ...workItem, attempt, tool: text }),
  NodeProgress: object({
    visit,
    attempt,
    ...workItem,
    name: text,
    data: anyObject,
    kept: z.boolean(),
  }),
  NodeParked: object({
    visit,
    attempt,
    ...workItem,
    correlation_key: text.optional(),
    approval: object({ description: text, shown: anyObject }).optional(),
    usage: usage.optional(),
  }),
  NodeResumed: object({
    visit,
    ...workItem,
    queue: text,
    idempotency_key: text,
    event_sequence: z.int().optional(),
    approved: anyObject.optional(),
    budget_account: text.optional(),
    state_patch: anyObject.optional(),
    turn: count.optional(),
  }),
  StepRecorded: object({
    visit,
    turn: count,
    position: count,
    entries: z.array(journalEntry).min(1),
    carried: z.literal(true).optional(),
  }),
  NodeSuspended: object({
    visit,
    attempt,
    turn: count,
    ...workItem,
    lease_fence: z.int(),
    request_hash: text,
    waits: z.array(
      object({
        identity: text,
        kind: z.enum(WAIT_KINDS),
        correlation_key: text.optional(),
        timeout_ms: z.number().optional(),
        description: text.optional(),
        child_execution_id: strictExecutionId.optional(),
        error: object({ message: text, class: text }).optional(),
      }),
    ),
    resumed: z.literal(true).optional(),
  }),
  NodeContinuedAsNew: object({
    visit,
    attempt,
    turn: count,
    ...workItem,
    lease_fence: z.int(),
    request_hash: text,
    input: anyValue,
    awaits_children: z.literal(true).optional(),
  }),
  NodePinned: object({ visit, build_id: text.nullable() }),
  RollbackScheduled: object({
    visit,
    turn: count,
    attempt,
    ...workItem,
    cause: z.enum(['failed', 'cancelled']),
    compensations: names,
  }),
  NodeCompleted: object({
    visit,
    output: anyValue,
    state_patch: anyObject.optional(),
    targets: names.optional(),
    event_sequence: z.int().optional(),
    usage: usage.optional(),
    labels: recordedLabels.optional(),
    awaits_children: z.literal(true).optional(),
  }),
  NodeFailed: object({
    visit,
    attempt,
    error: text,
    error_class: text,
    retryable: z.boolean(),
    retry_delay_ms: z.number().optional(),
    counted: z.literal(false).optional(),
    usage: usage.optional(),
    work_item_id: uuid.optional(),
    worker_id: text.optional(),
    rolled_back: z.literal(true).optional(),
    awaits_children: z.literal(true).optional(),
  }),
  NodeSkipped: object({}),
  NodeCancelled: object({
    visit,
    reason: text,
    rolled_back: z.literal(true).optional(),
    awaits_children: z.literal(true).optional(),
    usage: usage.optional(),
  }),
  RetryScheduled: object({
    visit,
    attempt,
    delay_ms: z.number(),
    work_item_id: uuid.optional(),
  }),
  ChildWorkflowStarted: object({
    visit,
    attempt,
    ...workItem,
    child_execution_id: strictExecutionId,
    workflow_id: text,
    workflow_version: text,
    step: text.optional(),
  }),
  ChildWorkflowCompleted: object({ ...childEnd, output: anyObject }),
  ChildWorkflowFailed: object({
    ...childEnd,
    status: z.enum(['failed', 'cancelled']),
    error: text,
    error_class: text,
  }),
  ApprovalRequested: object({
    visit,
    description: text.nullable(),
    timeout_ms: z.number().nullable(),
    shown: anyObject.optional(),
    shown_hash: text.optional(),
    step: text.optional(),
  }),
  ApprovalReceived: object({
    visit,
    decision: z.enum(['approved', 'rejected']),
    user_id: text.nullable(),
    comment: text.nullable(),
    shown_hash: text.optional(),
    step: text.optional(),
    state_patch: anyObject.optional(),
  }),
  PolicyViolation: object({ visit, name: text, rule: text }),
  ExternalEventWaiting: object({ visit, correlation_key: text }),
} satisfies Record<Exclude<EventKind, keyof typeof OF_EXECUTION>, z.ZodType>;

const KINDS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ...Object.entries(OF_EXECUTION),
  ...Object.entries(OF_NODE),
]);

export function isKindOfNode(kind: string): boolean {
  return Object.hasOwn(OF_NODE, kind);
}

/** Null: no event has that kind, or none that this release knows. */
export function payloadOf(kind: string): z.ZodType | null {
  return KINDS.get(kind) ?? null;
}
