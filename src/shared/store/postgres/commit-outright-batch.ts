import type { WorkTicket } from '../../domain/work/work-item.ts';
import type { CommitPlan, NewExecution } from '../commit.ts';
import { messagesOf } from '../webhook-messages.ts';
import type { Cell } from './commit-parameter.ts';
import { toUuid } from './rows.ts';

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
  },
  clears: { clear_execution: 'uuid' },
  hooks: {
    hook_execution: 'uuid',
    hook_tenant: 'text',
    hook_type: 'text',
    hook_data: 'json',
  },
} as const;

export type OutrightSection = keyof typeof OUTRIGHT_COLUMNS;
export type OutrightColumn = {
  [Section in OutrightSection]: keyof (typeof OUTRIGHT_COLUMNS)[Section];
}[OutrightSection];

export const OUTRIGHT_SECTIONS = Object.keys(OUTRIGHT_COLUMNS) as OutrightSection[];

export const OUTRIGHT_TYPES = Object.assign({}, ...Object.values(OUTRIGHT_COLUMNS)) as Readonly<
  Record<OutrightColumn, string>
>;

/** Nobody else has appended to it if the plan is accepted. */
export function sequenceBefore({ create, expectedSequence }: CommitPlan): number {
  return create === null ? (expectedSequence ?? 0) : 0;
}

type OutrightBatch = Readonly<Record<OutrightColumn, Cell[]>>;
type Row = Partial<Record<OutrightColumn, Cell>>;

/** An end is a part of a move: its section is there when there is one. */
export function hasSection(batch: OutrightBatch, section: OutrightSection): boolean {
  if (section === 'ends') {
    return [...batch.end_status, ...batch.end_error].some((cell) => cell !== null);
  }
  const [column] = Object.keys(OUTRIGHT_COLUMNS[section]) as OutrightColumn[];
  return column !== undefined && batch[column].length > 0;
}

/** In the order of the executions' ids. */
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
  plans
    .map((plan) => ({ plan, execution: toUuid(plan.executionId) }))
    .toSorted((left, right) => (left.execution < right.execution ? -1 : 1))
    .forEach(({ plan, execution }) => {
      put(plan.create === null ? moveRow(plan, execution) : startRow(plan, plan.create, execution));
      encodeEvents(put, plan, execution);
      encodeWork(put, plan, execution);
      if (plan.runnable === 'clear' && plan.create === null) put({ clear_execution: execution });
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

function encodeEvents(put: (row: Row) => void, plan: CommitPlan, execution: string): void {
  const before = sequenceBefore(plan);
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
  for (const { ticket } of plan.newItems) put(ticketCells('queued', ticket, execution));
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
