import { toolKey } from '../../../domain/work/claim-filter.ts';
import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import type { WorkTicket } from '../../../domain/work/work-item.ts';
import type { CommitPlan, Release } from '../../commit.ts';
import { messagesOf, messagesOfStarted } from '../../webhook-messages.ts';
import type { Cell } from './parameter.ts';
import { toUuid } from '../rows.ts';

/**
 * Parameters of the commit statement: one array for each column, the same length within a group.
 * `*_plan` is the position of the plan in the batch, which joins everything.
 */
export const COLUMN_TYPES = {
  plan: 'int4',
  plan_execution: 'uuid',
  plan_tenant: 'text',
  plan_new: 'bool',
  plan_expected: 'int4',
  plan_events: 'int4',
  plan_status: 'text',
  plan_error: 'text',
  plan_runnable: 'text',
  plan_revokes_all: 'bool',

  event_plan: 'int4',
  event_ordinal: 'int4',
  event_kind: 'text',
  event_node: 'text',
  event_payload: 'json',
  event_actor: 'text',

  new_plan: 'int4',
  new_definition: 'uuid',
  new_workflow: 'text',
  new_version: 'text',
  new_shard: 'int2',
  new_priority: 'int4',
  new_parent: 'uuid',

  /** Executions that begin with a plan of another. */
  run_plan: 'int4',
  run_execution: 'uuid',
  run_definition: 'uuid',
  run_workflow: 'text',
  run_version: 'text',
  run_shard: 'int2',
  run_priority: 'int4',
  run_parent: 'uuid',
  run_payload: 'json',
  run_actor: 'text',
  run_input_tokens: 'int8',
  run_output_tokens: 'int8',
  run_cost: 'float8',
  run_waits: 'bool',
  run_place_of: 'uuid',

  tree_plan: 'int4',
  tree_root: 'uuid',
  tree_execution: 'uuid',
  tree_is: 'text',
  tree_adds: 'int4',
  tree_max: 'int8',
  /** Executions that wait for a place no more, because they end. */
  leave_execution: 'uuid',

  limit_plan: 'int4',
  limit_tenant: 'text',
  limit_executions: 'int8',
  limit_queued: 'int8',
  /** Items that the plan puts on queues of workers. */
  limit_items: 'int4',

  request_plan: 'int4',
  request_key: 'text',
  request_hash: 'text',

  settle_plan: 'int4',
  settle_item: 'uuid',
  settle_fence: 'int8',
  settle_if_expired: 'bool',

  expire_plan: 'int4',
  expire_item: 'uuid',

  revoke_plan: 'int4',
  revoke_item: 'uuid',
  /** Executions that lose items: all of them, and those that lose everything. */
  revoke_execution: 'uuid',
  revoke_all_execution: 'uuid',
  /** Executions whose waiting items are held, or given back. */
  hold_execution: 'uuid',
  release_execution: 'uuid',

  ticket_plan: 'int4',
  ticket_position: 'int4',
  ticket_place: 'text',
  ticket_item: 'uuid',
  ticket_node: 'text',
  ticket_visit: 'int4',
  ticket_attempt: 'int4',
  ticket_queue: 'text',
  ticket_priority: 'int4',
  ticket_key: 'text',
  ticket_node_timeout: 'int8',
  ticket_start_timeout: 'int8',
  ticket_worker: 'text',
  /** Length of the lease, or delay of the retry. */
  ticket_ms: 'int8',
  ticket_queue_key: 'text',
  ticket_queue_name: 'text',
  /** Of a new item; of others the item is asked. */
  ticket_tool: 'text',
  /** Of a release: what it gives back. */
  ticket_seq: 'int8',
  ticket_queued_at: 'timestamptz',
  ticket_fence: 'int8',
  ticket_is_held: 'bool',

  item_plan: 'int4',
  item: 'uuid',
  item_node: 'text',
  item_visit: 'int4',
  item_queue: 'text',
  item_key: 'text',
  item_tool: 'text',
  item_payload: 'json',
  item_retry_policy: 'json',
  item_heartbeat: 'int4',
  item_node_timeout: 'int8',
  item_start_timeout: 'int8',
  item_queue_name: 'text',

  fire_plan: 'int4',
  fire_name: 'text',
  /** Timers to delete: fired and cancelled ones. */
  gone_timer_plan: 'int4',
  gone_timer_name: 'text',
  /** Executions that lose timers. */
  gone_timer_execution: 'uuid',

  timer_plan: 'int4',
  /** Null: that of the plan. */
  timer_execution: 'uuid',
  timer_name: 'text',
  timer_delay: 'int8',
  timer_until: 'timestamptz',
  timer_purpose: 'text',
  timer_node: 'text',
  timer_visit: 'int4',

  output_plan: 'int4',
  output_key: 'text',
  output_item: 'uuid',
  output_index: 'int4',

  snapshot_plan: 'int4',
  snapshot_body: 'text',

  dead_plan: 'int4',
  dead_item: 'uuid',
  dead_attempt: 'int4',
  dead_error: 'text',

  /** Messages to webhooks, whether there are any or not. */
  hook_plan: 'int4',
  /** Null: that of the plan. */
  hook_execution: 'uuid',
  hook_ordinal: 'int4',
  hook_type: 'text',
  hook_data: 'json',
  hook_status: 'text',

  /** Executions that the pause of their workflow holds, or no more. */
  pause_plan: 'int4',
  pause_tenant: 'text',
  pause_workflow: 'text',
  pause_is: 'text',

  charge_plan: 'int4',
  charge_input: 'int8',
  charge_output: 'int8',
  charge_cost: 'float8',
} as const;

export type Column = keyof typeof COLUMN_TYPES;
export type Batch = Readonly<Record<Column, readonly Cell[]>>;

type TicketPlace =
  | { readonly place: 'queue'; readonly tool: string | null }
  | { readonly place: 'lease'; readonly worker: string; readonly ms: number }
  | { readonly place: 'retry'; readonly ms: number; readonly released: Release | null };

export function encodePlans(plans: readonly CommitPlan[]): Batch {
  const batch = emptyBatch();
  plans.forEach((plan, position) => encodePlan(batch, plan, position));
  return batch;
}

type MutableBatch = Record<Column, Cell[]>;

function emptyBatch(): MutableBatch {
  const columns = Object.keys(COLUMN_TYPES) as Column[];
  return Object.fromEntries(columns.map((column) => [column, [] as Cell[]])) as MutableBatch;
}

function encodePlan(batch: MutableBatch, plan: CommitPlan, position: number): void {
  const execution = toUuid(plan.executionId);
  batch.plan.push(position);
  batch.plan_execution.push(execution);
  batch.plan_tenant.push(plan.tenantId);
  batch.plan_new.push(plan.create !== null);
  batch.plan_expected.push(plan.expectedSequence);
  batch.plan_events.push(plan.events.length);
  batch.plan_status.push(plan.status);
  batch.plan_error.push(plan.error);
  batch.plan_runnable.push(plan.runnable);
  batch.plan_revokes_all.push(plan.revokesAll);
  encodeEvents(batch, plan, position);
  encodeCreation(batch, plan, position);
  encodeStarts(batch, plan, position);
  encodeEndings(batch, plan, position, execution);
  encodeWork(batch, plan, position);
  encodeTimers(batch, plan, position, execution);
  encodeResults(batch, plan, position);
  encodeMessages(batch, plan, position);
}

function encodeEvents(batch: MutableBatch, plan: CommitPlan, position: number): void {
  plan.events.forEach((event, index) => {
    batch.event_plan.push(position);
    batch.event_ordinal.push(index + 1);
    batch.event_kind.push(event.kind);
    batch.event_node.push(event.nodeId);
    batch.event_payload.push(event.payload);
    batch.event_actor.push(event.actorId);
  });
}

function encodeCreation(batch: MutableBatch, plan: CommitPlan, position: number): void {
  const { create } = plan;
  if (create === null) return;
  const parent = create.parentExecutionId;
  batch.new_plan.push(position);
  batch.new_definition.push(create.definitionId);
  batch.new_workflow.push(create.workflowId);
  batch.new_version.push(create.workflowVersion);
  batch.new_shard.push(create.shard);
  batch.new_priority.push(create.priority);
  batch.new_parent.push(parent === null ? null : toUuid(parent));
  if (create.limits !== undefined) {
    batch.limit_plan.push(position);
    batch.limit_tenant.push(plan.tenantId);
    batch.limit_executions.push(create.limits.executionsMax);
    batch.limit_queued.push(create.limits.queuedItemsMax);
    batch.limit_items.push(plan.newItems.filter(({ record }) => record !== null).length);
  }
  if (create.request === null) return;
  batch.request_plan.push(position);
  batch.request_key.push(create.request.key);
  batch.request_hash.push(create.request.bodyHash);
}

function encodeStarts(batch: MutableBatch, plan: CommitPlan, position: number): void {
  for (const start of plan.startsExecutions ?? []) {
    const { parentExecutionId: parent, started, used } = start;
    batch.run_plan.push(position);
    batch.run_execution.push(toUuid(start.executionId));
    batch.run_definition.push(start.definitionId);
    batch.run_workflow.push(start.workflowId);
    batch.run_version.push(start.workflowVersion);
    batch.run_shard.push(start.shard);
    batch.run_priority.push(start.priority);
    batch.run_parent.push(parent === null ? null : toUuid(parent));
    batch.run_payload.push(started.payload);
    batch.run_actor.push(started.actorId);
    batch.run_input_tokens.push(used?.inputTokens ?? null);
    batch.run_output_tokens.push(used?.outputTokens ?? null);
    batch.run_cost.push(used?.costUsd ?? null);
    batch.run_waits.push(start.waitsForPlace ?? false);
    batch.run_place_of.push(start.takesPlaceOf === undefined ? null : toUuid(start.takesPlaceOf));
  }
  const { tree } = plan;
  if (tree === undefined) return;
  batch.tree_plan.push(position);
  batch.tree_root.push(toUuid(tree.rootExecutionId));
  batch.tree_execution.push(toUuid(plan.executionId));
  batch.tree_is.push(tree.is);
  batch.tree_adds.push(tree.adds);
  batch.tree_max.push(tree.descendantsMax);
}

function encodeEndings(
  batch: MutableBatch,
  plan: CommitPlan,
  position: number,
  execution: string,
): void {
  for (const settle of plan.settles) {
    batch.settle_plan.push(position);
    batch.settle_item.push(settle.workItemId);
    batch.settle_fence.push(settle.leaseFence);
    batch.settle_if_expired.push(settle.onlyIfExpired);
  }
  for (const workItemId of plan.expiresQueued) {
    batch.expire_plan.push(position);
    batch.expire_item.push(workItemId);
  }
  for (const workItemId of plan.revokesItems) {
    batch.revoke_plan.push(position);
    batch.revoke_item.push(workItemId);
  }
  if (plan.revokesAll || plan.revokesItems.length > 0) batch.revoke_execution.push(execution);
  if (plan.revokesAll) batch.revoke_all_execution.push(execution);
  if (plan.workflowHold !== undefined) {
    batch.pause_plan.push(position);
    batch.pause_tenant.push(plan.tenantId);
    batch.pause_workflow.push(plan.workflowHold.workflowId);
    batch.pause_is.push(plan.workflowHold.is);
  }
  if (plan.leavesQueue === true) batch.leave_execution.push(execution);
  if (plan.waitingItems === 'hold') batch.hold_execution.push(execution);
  if (plan.waitingItems === 'release') batch.release_execution.push(execution);
}

function encodeWork(batch: MutableBatch, plan: CommitPlan, position: number): void {
  for (const { ticket, record } of plan.newItems) {
    encodeTicket(batch, position, ticket, {
      place: 'queue',
      tool: record === null ? null : toolKey(record.tool),
    });
    if (record === null) continue;
    batch.item_plan.push(position);
    batch.item.push(record.workItemId);
    batch.item_node.push(record.nodeId);
    batch.item_visit.push(record.visit);
    batch.item_queue.push(record.queue);
    batch.item_key.push(record.idempotencyKey);
    batch.item_tool.push(record.tool);
    batch.item_payload.push(JSON.stringify(record.payload));
    batch.item_retry_policy.push(JSON.stringify(record.retryPolicy));
    batch.item_heartbeat.push(record.heartbeatIntervalMs);
    batch.item_node_timeout.push(ticket.nodeTimeoutMs);
    batch.item_start_timeout.push(ticket.scheduleToStartMs);
    batch.item_queue_name.push(record.queueName ?? null);
  }
  for (const { ticket, leaseTo, leaseMs } of plan.bornLeased) {
    encodeTicket(batch, position, ticket, { place: 'lease', worker: leaseTo, ms: leaseMs });
  }
  for (const { ticket, delayMs, released = null } of plan.retries) {
    const place: TicketPlace =
      delayMs > 0 ? { place: 'retry', ms: delayMs, released } : { place: 'queue', tool: null };
    encodeTicket(batch, position, ticket, place);
  }
}

function encodeTicket(
  batch: MutableBatch,
  position: number,
  ticket: WorkTicket,
  place: TicketPlace,
): void {
  batch.ticket_position.push(batch.ticket_plan.length);
  batch.ticket_plan.push(position);
  batch.ticket_place.push(place.place);
  batch.ticket_item.push(ticket.workItemId);
  batch.ticket_node.push(ticket.nodeId);
  batch.ticket_visit.push(ticket.visit);
  batch.ticket_attempt.push(ticket.attempt);
  batch.ticket_queue.push(ticket.queue);
  batch.ticket_priority.push(ticket.priority);
  batch.ticket_key.push(ticket.idempotencyKey);
  batch.ticket_node_timeout.push(ticket.nodeTimeoutMs);
  batch.ticket_start_timeout.push(ticket.scheduleToStartMs);
  batch.ticket_worker.push(place.place === 'lease' ? place.worker : null);
  batch.ticket_ms.push(place.place === 'queue' ? null : place.ms);
  batch.ticket_queue_key.push(queueKeyOf(ticket));
  batch.ticket_queue_name.push(ticket.queueName ?? null);
  batch.ticket_tool.push(place.place === 'queue' ? place.tool : null);
  const released = place.place === 'retry' ? place.released : null;
  batch.ticket_seq.push(released?.place?.seq ?? null);
  batch.ticket_queued_at.push(released?.place?.queuedAt ?? null);
  batch.ticket_fence.push(released?.leaseFence ?? null);
  batch.ticket_is_held.push(released?.isHeld ?? false);
}

function encodeTimers(
  batch: MutableBatch,
  plan: CommitPlan,
  position: number,
  execution: string,
): void {
  for (const name of plan.firesTimers) {
    batch.fire_plan.push(position);
    batch.fire_name.push(name);
  }
  const gone = [...plan.firesTimers, ...plan.cancelsTimers];
  for (const name of gone) {
    batch.gone_timer_plan.push(position);
    batch.gone_timer_name.push(name);
  }
  if (plan.revokesAll || gone.length > 0) batch.gone_timer_execution.push(execution);
  for (const timer of plan.startsTimers) {
    batch.timer_plan.push(position);
    batch.timer_execution.push(timer.executionId === undefined ? null : toUuid(timer.executionId));
    batch.timer_name.push(timer.name);
    batch.timer_delay.push('delayMs' in timer.when ? timer.when.delayMs : null);
    batch.timer_until.push('until' in timer.when ? timer.when.until : null);
    batch.timer_purpose.push(timer.purpose);
    batch.timer_node.push(timer.nodeId);
    batch.timer_visit.push(timer.visit);
  }
}

function encodeResults(batch: MutableBatch, plan: CommitPlan, position: number): void {
  if (plan.recordsOutput !== null) {
    batch.output_plan.push(position);
    batch.output_key.push(plan.recordsOutput.idempotencyKey);
    batch.output_item.push(plan.recordsOutput.workItemId);
    batch.output_index.push(plan.recordsOutput.eventIndex + 1);
  }
  if (plan.snapshot !== null) {
    batch.snapshot_plan.push(position);
    batch.snapshot_body.push(plan.snapshot);
  }
  if (plan.charge !== undefined) {
    batch.charge_plan.push(position);
    batch.charge_input.push(plan.charge.inputTokens);
    batch.charge_output.push(plan.charge.outputTokens);
    batch.charge_cost.push(plan.charge.costUsd);
  }
  for (const dead of plan.deadLetters ?? []) {
    batch.dead_plan.push(position);
    batch.dead_item.push(dead.workItemId);
    batch.dead_attempt.push(dead.attempt);
    batch.dead_error.push(dead.error);
  }
}

function encodeMessages(batch: MutableBatch, plan: CommitPlan, position: number): void {
  const messages = [
    ...messagesOf(plan).map((message) => ({ executionId: null, message })),
    ...messagesOfStarted(plan),
  ];
  messages.forEach(({ executionId, message }, ordinal) => {
    const { eventType, data, ifStatusBecomes } = message;
    batch.hook_plan.push(position);
    batch.hook_execution.push(executionId === null ? null : toUuid(executionId));
    batch.hook_ordinal.push(ordinal);
    batch.hook_type.push(eventType);
    batch.hook_data.push(JSON.stringify(data));
    batch.hook_status.push(ifStatusBecomes);
  });
}
