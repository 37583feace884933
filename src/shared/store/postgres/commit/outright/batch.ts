import { toolKey } from '../../../../domain/work/claim-filter.ts';
import { queueKeyOf } from '../../../../domain/work/queue-key.ts';
import type { WorkItemRecord, WorkTicket } from '../../../../domain/work/work-item.ts';
import type { CommitPlan, NewExecution } from '../../../commit.ts';
import { messagesOf } from '../../../webhook-messages.ts';
import type { Cell } from '../parameter.ts';
import { toUuid } from '../../rows.ts';

/** Parameters of the statement: one array for each column. Columns of a section belong together. */
export const OUTRIGHT_COLUMNS = {
  moves: {
    move_execution: 'uuid',
    move_tenant: 'text',
    move_expected: 'int4',
    move_events: 'int4',
  },
  ends: {
    end_status: 'text',
    end_error: 'text',
  },
  events: {
    event_execution: 'uuid',
    event_sequence: 'int4',
    event_kind: 'text',
    event_node: 'text',
    event_payload: 'json',
    event_actor: 'text',
  },
  creates: {
    new_execution: 'uuid',
    new_tenant: 'text',
    new_definition: 'uuid',
    new_workflow: 'text',
    new_version: 'text',
    new_shard: 'int2',
    new_priority: 'int4',
    new_parent: 'uuid',
    new_status: 'text',
    new_sequence: 'int4',
    new_error: 'text',
  },
  settles: {
    settle_item: 'uuid',
    settle_execution: 'uuid',
    settle_fence: 'int8',
  },
  births: {
    born_item: 'uuid',
    born_execution: 'uuid',
    born_tenant: 'text',
    born_node: 'text',
    born_visit: 'int4',
    born_attempt: 'int4',
    born_queue: 'text',
    born_priority: 'int4',
    born_key: 'text',
    born_node_timeout: 'int8',
    born_start_timeout: 'int8',
    born_worker: 'text',
    born_ms: 'int8',
  },
  queued: {
    queued_item: 'uuid',
    queued_execution: 'uuid',
    queued_tenant: 'text',
    queued_node: 'text',
    queued_visit: 'int4',
    queued_attempt: 'int4',
    queued_queue: 'text',
    queued_priority: 'int4',
    queued_key: 'text',
    queued_node_timeout: 'int8',
    queued_start_timeout: 'int8',
    queued_in: 'text',
    queued_name: 'text',
    queued_tool: 'text',
  },
  /** What workers are told about queued items. */
  records: {
    record_item: 'uuid',
    record_execution: 'uuid',
    record_tenant: 'text',
    record_node: 'text',
    record_visit: 'int4',
    record_queue: 'text',
    record_key: 'text',
    record_tool: 'text',
    record_payload: 'json',
    record_retry_policy: 'json',
    record_heartbeat: 'int4',
    record_node_timeout: 'int8',
    record_start_timeout: 'int8',
    record_queue_name: 'text',
  },
  outputs: {
    output_execution: 'uuid',
    output_key: 'text',
    output_item: 'uuid',
    output_sequence: 'int4',
  },
  marks: { mark_execution: 'uuid' },
  clears: { clear_execution: 'uuid' },
  hooks: {
    hook_execution: 'uuid',
    hook_tenant: 'text',
    hook_type: 'text',
    hook_data: 'json',
  },
} as const;

type ColumnSection = keyof typeof OUTRIGHT_COLUMNS;
export type OutrightColumn = {
  [Section in ColumnSection]: keyof (typeof OUTRIGHT_COLUMNS)[Section];
}[ColumnSection];

/** `tails`: a plan appends wherever its execution ends, so the row says which sequences it gets. */
export type OutrightSection = ColumnSection | 'tails';

export const OUTRIGHT_SECTIONS: readonly OutrightSection[] = [
  ...(Object.keys(OUTRIGHT_COLUMNS) as ColumnSection[]),
  'tails',
];

export const OUTRIGHT_TYPES = Object.assign({}, ...Object.values(OUTRIGHT_COLUMNS)) as Readonly<
  Record<OutrightColumn, string>
>;

type OutrightBatch = Readonly<Record<OutrightColumn, Cell[]>>;
type Row = Partial<Record<OutrightColumn, Cell>>;

/** An end is a part of a move: its section is there when there is one. */
export function hasSection(batch: OutrightBatch, section: OutrightSection): boolean {
  if (section === 'tails') return batch.move_expected.includes(null);
  if (section === 'ends') {
    return [...batch.end_status, ...batch.end_error].some((cell) => cell !== null);
  }
  const [column] = Object.keys(OUTRIGHT_COLUMNS[section]) as OutrightColumn[];
  return column !== undefined && batch[column].length > 0;
}

/**
 * In the order of the executions' ids. Sequences are those of the execution, or with `tails` those
 * within the plan.
 */
export function encodeOutright(plans: readonly CommitPlan[]): OutrightBatch {
  const batch = Object.fromEntries(
    Object.keys(OUTRIGHT_TYPES).map((column) => [column, [] as Cell[]]),
  ) as Record<OutrightColumn, Cell[]>;
  const put = (row: Row): void => {
    for (const column in row) {
      const cell = row[column as OutrightColumn];
      if (cell !== undefined) batch[column as OutrightColumn].push(cell);
    }
  };
  const tails = plans.some(({ create, expectedSequence }) => !create && expectedSequence === null);
  plans
    .map((plan) => ({ plan, execution: toUuid(plan.executionId) }))
    .toSorted((left, right) => (left.execution < right.execution ? -1 : 1))
    .forEach(({ plan, execution }) => {
      put(plan.create === null ? moveRow(plan, execution) : startRow(plan, plan.create, execution));
      const before = tails || plan.create !== null ? 0 : (plan.expectedSequence ?? 0);
      encodeEvents(put, plan, { execution, before });
      encodeWork(put, plan, execution);
      if (plan.runnable === 'mark' && plan.status === null) put({ mark_execution: execution });
      if (plan.create === null && (plan.runnable === 'clear' || plan.status !== null)) {
        put({ clear_execution: execution });
      }
      for (const { eventType, data } of messagesOf(plan)) {
        put({
          hook_execution: execution,
          hook_tenant: plan.tenantId,
          hook_type: eventType,
          hook_data: JSON.stringify(data),
        });
      }
    });
  return batch;
}

function moveRow(plan: CommitPlan, execution: string): Row {
  return {
    move_execution: execution,
    move_tenant: plan.tenantId,
    move_expected: plan.expectedSequence,
    move_events: plan.events.length,
    end_status: plan.status,
    end_error: plan.error,
  };
}

function startRow(plan: CommitPlan, create: NewExecution, execution: string): Row {
  const parent = create.parentExecutionId;
  return {
    new_execution: execution,
    new_tenant: plan.tenantId,
    new_definition: create.definitionId,
    new_workflow: create.workflowId,
    new_version: create.workflowVersion,
    new_shard: create.shard,
    new_priority: create.priority,
    new_parent: parent === null ? null : toUuid(parent),
    new_status: plan.status ?? 'running',
    new_sequence: plan.events.length,
    new_error: plan.error,
  };
}

function encodeEvents(
  put: (row: Row) => void,
  plan: CommitPlan,
  { execution, before }: { readonly execution: string; readonly before: number },
): void {
  plan.events.forEach((event, index) => {
    put({
      event_execution: execution,
      event_sequence: before + index + 1,
      event_kind: event.kind,
      event_node: event.nodeId,
      event_payload: event.payload,
      event_actor: event.actorId,
    });
  });
  if (plan.recordsOutput === null) return;
  put({
    output_execution: execution,
    output_key: plan.recordsOutput.idempotencyKey,
    output_item: plan.recordsOutput.workItemId,
    output_sequence: before + plan.recordsOutput.eventIndex + 1,
  });
}

function encodeWork(put: (row: Row) => void, plan: CommitPlan, execution: string): void {
  for (const settle of plan.settles) {
    put({
      settle_item: settle.workItemId,
      settle_execution: execution,
      settle_fence: settle.leaseFence,
    });
  }
  for (const { ticket, leaseTo, leaseMs } of plan.bornLeased) {
    put({ ...ticketCells('born', ticket, execution), born_worker: leaseTo, born_ms: leaseMs });
  }
  for (const { ticket, record } of plan.newItems) {
    put({
      ...ticketCells('queued', ticket, execution),
      queued_in: queueKeyOf(ticket),
      queued_name: record?.queueName ?? null,
      queued_tool: record === null ? null : toolKey(record.tool),
    });
    if (record !== null) put(recordRow(ticket, record, execution));
  }
}

function recordRow(ticket: WorkTicket, record: WorkItemRecord, execution: string): Row {
  return {
    record_item: record.workItemId,
    record_execution: execution,
    record_tenant: ticket.tenantId,
    record_node: record.nodeId,
    record_visit: record.visit,
    record_queue: record.queue,
    record_key: record.idempotencyKey,
    record_tool: record.tool,
    record_payload: JSON.stringify(record.payload),
    record_retry_policy: JSON.stringify(record.retryPolicy),
    record_heartbeat: record.heartbeatIntervalMs,
    record_node_timeout: ticket.nodeTimeoutMs,
    record_start_timeout: ticket.scheduleToStartMs,
    record_queue_name: record.queueName ?? null,
  };
}

function ticketCells(prefix: 'born' | 'queued', ticket: WorkTicket, execution: string): Row {
  return {
    [`${prefix}_item`]: ticket.workItemId,
    [`${prefix}_execution`]: execution,
    [`${prefix}_tenant`]: ticket.tenantId,
    [`${prefix}_node`]: ticket.nodeId,
    [`${prefix}_visit`]: ticket.visit,
    [`${prefix}_attempt`]: ticket.attempt,
    [`${prefix}_queue`]: ticket.queue,
    [`${prefix}_priority`]: ticket.priority,
    [`${prefix}_key`]: ticket.idempotencyKey,
    [`${prefix}_node_timeout`]: ticket.nodeTimeoutMs,
    [`${prefix}_start_timeout`]: ticket.scheduleToStartMs,
  };
}
