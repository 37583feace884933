import { randomBytes } from 'node:crypto';

import {
  executionIdFromUuid,
  type DefinitionId,
  type ExecutionId,
  type TenantId,
  type WorkItemId,
} from '../../../../src/shared/domain/ids.ts';
import { DEFAULT_RETRY_POLICY } from '../../../../src/shared/domain/work/retry.ts';
import type {
  WorkerQueue,
  WorkItemRecord,
  WorkTicket,
} from '../../../../src/shared/domain/work/work-item.ts';
import {
  type CommitPlan,
  type FailureCause,
  type NewEvent,
  type NewExecution,
  type NewTimer,
  type NewWorkItem,
  emptyCommit,
} from '../../../../src/shared/store/commit.ts';

/** Create valid values with new ids; a case overrides the relevant members. */

export function makeTenantId(): TenantId {
  return `t-${randomBytes(6).toString('hex')}` as TenantId;
}

export function makeExecutionId(): ExecutionId {
  return executionIdFromUuid(makeUuid());
}

export function makeWorkItemId(): WorkItemId {
  return makeUuid() as WorkItemId;
}

export function makeDefinitionId(): DefinitionId {
  return makeUuid() as DefinitionId;
}

export function makeKey(): string {
  return randomBytes(32).toString('hex');
}

let made = 0;

/** A UUIDv7 greater than all earlier ones of this process, so that ids sort by creation. */
export function makeUuid(): string {
  made += 1;
  const time = (Date.now() + made).toString(16).padStart(12, '0');
  const random = randomBytes(9).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`;
}

/** A plan that changes nothing. */
export function makePlan(
  execution: { readonly executionId: ExecutionId; readonly tenantId: TenantId },
  changes: Partial<CommitPlan> = {},
): CommitPlan {
  return { ...emptyCommit(execution), ...changes };
}

export function makeNewExecution(changes: Partial<NewExecution> = {}): NewExecution {
  return {
    definitionId: makeDefinitionId(),
    workflowId: 'greet',
    workflowVersion: '1.0.0',
    shard: 7,
    priority: 0,
    parentExecutionId: null,
    request: null,
    limits: null,
    ...changes,
  };
}

export function makeStarted(create: Partial<NewExecution> = {}): NewEvent {
  return makeEvent({
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: JSON.stringify({
      workflow_id: create.workflowId ?? 'greet',
      workflow_version: create.workflowVersion ?? '1.0.0',
      definition_id: create.definitionId ?? 'd',
      input: { name: 'Ada' },
    }),
  });
}

export function makeEvent(changes: Partial<NewEvent> = {}): NewEvent {
  return {
    kind: 'NodeStarted',
    nodeId: 'node',
    payload: '{"visit":0}',
    actorId: 'system:scheduler',
    ...changes,
  };
}

export function makeCompleted(output: unknown, statePatch?: Record<string, unknown>): NewEvent {
  return makeEvent({
    kind: 'NodeCompleted',
    payload: JSON.stringify({
      visit: 0,
      output,
      ...(statePatch === undefined ? {} : { state_patch: statePatch }),
    }),
  });
}

export function makeTicket(
  execution: { readonly executionId: ExecutionId; readonly tenantId: TenantId },
  changes: Partial<WorkTicket> = {},
): WorkTicket {
  return {
    workItemId: makeWorkItemId(),
    executionId: execution.executionId,
    tenantId: execution.tenantId,
    nodeId: 'node',
    visit: 0,
    attempt: 0,
    queue: 'python_tool',
    priority: 0,
    idempotencyKey: makeKey(),
    nodeTimeoutMs: null,
    scheduleToStartMs: null,
    ...changes,
  };
}

/** The item for a ticket; one of the `engine` queue has no record. */
export function makeItem(ticket: WorkTicket): NewWorkItem {
  return { ticket, record: ticket.queue === 'engine' ? null : makeRecord(ticket, ticket.queue) };
}

function makeRecord(ticket: WorkTicket, queue: WorkerQueue): WorkItemRecord {
  return {
    workItemId: ticket.workItemId,
    executionId: ticket.executionId,
    tenantId: ticket.tenantId,
    nodeId: ticket.nodeId,
    visit: ticket.visit,
    queue,
    idempotencyKey: ticket.idempotencyKey,
    tool: 'greetings.hello',
    payload: { module: 'greetings', function: 'hello', input: { name: 'Ada', n: 1.5 } },
    retryPolicy: DEFAULT_RETRY_POLICY,
    heartbeatIntervalMs: 30_000,
  };
}

/** The class and the key that a commit keeps of a failure beside its message. */
export function makeCause(changes: Partial<FailureCause> = {}): FailureCause {
  return { errorClass: 'error', causeKey: 1, ...changes };
}

export function makeTimer(changes: Partial<NewTimer> = {}): NewTimer {
  return {
    executionId: null,
    name: 'wait:node#0',
    when: { delayMs: 0 },
    purpose: 'wait',
    nodeId: 'node',
    visit: 0,
    ...changes,
  };
}
