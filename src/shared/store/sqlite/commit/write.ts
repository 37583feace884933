import { isTerminal } from '../../../domain/execution/status.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import {
  type CommitPlan,
  type CommitVerdict,
  type KeptFailure,
  leasesToWorkers,
  type NewExecution,
} from '../../commit.ts';
import { messagesOf, messagesOfStarted } from '../../rows/webhook-messages.ts';
import { writeApprovals } from './approvals.ts';
import { awaitPlace, joinTenantLine, takePlace } from './places.ts';
import { writeItems, writeTimers } from './effects.ts';
import type { Head } from './judge.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';
import { markRunnable } from '../scheduling/mark-runnable.ts';
import { writeLabels } from './labels.ts';
import { writeTree } from './judge-tree.ts';
import { startExecutions } from './start-executions.ts';
import { chargeUsage } from './usage.ts';
import { tellWebhooks } from './webhook-outbox.ts';

/** Writes an accepted plan. */
export function writePlan(
  connection: Connection,
  params: {
    readonly plan: CommitPlan;
    readonly head: Head;
    readonly now: number;
    readonly sealedUntil: number;
    readonly drawFence: () => number;
  },
): CommitVerdict {
  const { plan, head, now, drawFence } = params;
  // The clock may have been set back, but the times of an execution's events and of sealed ones
  // never decrease.
  const createdAt = Math.max(now, head.updatedAt, params.sealedUntil);
  const lastSequence = head.lastSequence + plan.events.length;
  if (plan.create === null) updateExecution(connection, { plan, lastSequence, createdAt });
  else insertExecution(connection, { plan, create: plan.create, lastSequence, createdAt });
  if (plan.failure !== null) writeFailure(connection, plan.executionId, plan.failure);
  insertEvents(connection, { plan, after: head.lastSequence, createdAt });
  writeApprovals(connection, { plan, after: head.lastSequence, createdAt });
  startExecutions(connection, { plan, createdAt });
  writeLabels(connection, { plan, createdAt });
  writeTree(connection, plan);
  writeWorkflowHold(connection, plan);
  const fences = writeItems(connection, { plan, shard: head.shard, now, drawFence });
  writeTimers(connection, { plan, now });
  writeSnapshot(connection, { plan, lastSequence });
  writeRunnable(connection, { plan, shard: head.shard });
  awaitPlace(connection, plan, createdAt);
  joinTenantLine(connection, plan, createdAt);
  if (plan.charge !== null) chargeUsage(connection, plan.executionId, plan.charge);
  tellWebhooks(connection, {
    executionId: plan.executionId,
    tenantId: plan.tenantId,
    statusBefore: head.status,
    messages: messagesOf(plan),
    now: createdAt,
  });
  for (const { executionId, message } of messagesOfStarted(plan)) {
    tellWebhooks(connection, {
      executionId,
      tenantId: plan.tenantId,
      statusBefore: null,
      messages: [message],
      now: createdAt,
    });
  }
  const isUnserved = leasesToWorkers(plan) && isInactive(connection, plan);
  return {
    accepted: true,
    lastSequence,
    createdAt: toIso(createdAt),
    fences,
    ...(isUnserved && { isUnserved }),
  };
}

function isInactive(connection: Connection, { tenantId }: CommitPlan): boolean {
  const row = connection.get<{ readonly status: string }>(
    'select status from tenants where id = :id',
    { id: tenantId },
  );
  return row !== undefined && row.status !== 'active';
}

function insertExecution(
  connection: Connection,
  params: {
    readonly plan: CommitPlan;
    readonly create: NewExecution;
    readonly lastSequence: number;
    readonly createdAt: number;
  },
): void {
  const { plan, create, lastSequence, createdAt } = params;
  const status = plan.status ?? 'running';
  connection.run(
    `insert into executions (
       id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
       parent_execution_id, status, last_sequence, error, created_at, updated_at, completed_at
     )
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      plan.executionId,
      plan.tenantId,
      create.definitionId,
      create.workflowId,
      create.workflowVersion,
      create.shard,
      create.priority,
      create.parentExecutionId,
      status,
      lastSequence,
      plan.error,
      createdAt,
      createdAt,
      isTerminal(status) ? createdAt : null,
    ],
  );
  if (create.takesPlace !== undefined) takePlace(connection, plan, create.takesPlace);
  if (create.request === null) return;
  // An expired key makes room for the new one.
  connection.run(
    `insert into request_keys (tenant_id, key, body_hash, execution_id, created_at)
     values (:tenant_id, :key, :body_hash, :execution_id, :created_at)
     on conflict (tenant_id, key) do update
     set body_hash = excluded.body_hash,
         execution_id = excluded.execution_id,
         created_at = excluded.created_at`,
    {
      tenant_id: plan.tenantId,
      key: create.request.key,
      body_hash: create.request.bodyHash,
      execution_id: plan.executionId,
      created_at: createdAt,
    },
  );
}

function updateExecution(
  connection: Connection,
  params: {
    readonly plan: CommitPlan;
    readonly lastSequence: number;
    readonly createdAt: number;
  },
): void {
  const { plan, lastSequence, createdAt } = params;
  const { status } = plan;
  // Two statements, because naming `status` makes SQLite visit its index even when nothing changes.
  if (status === null) {
    connection.run(
      `update executions
       set last_sequence = ?,
           updated_at = ?
       where id = ?`,
      [lastSequence, createdAt, plan.executionId],
    );
    return;
  }
  connection.run(
    `update executions
     set last_sequence = ?,
         updated_at = ?,
         status = ?,
         error = coalesce(?, error),
         completed_at = ?
     where id = ?`,
    [
      lastSequence,
      createdAt,
      status,
      plan.error,
      isTerminal(status) ? createdAt : null,
      plan.executionId,
    ],
  );
}

/** A statement of its own: most ends are none. */
function writeFailure(
  connection: Connection,
  executionId: ExecutionId,
  { errorClass, nodeId, causeKey }: KeptFailure,
): void {
  connection.run(
    `update executions
     set error_class = ?,
         error_node_id = ?,
         cause_key = ?
     where id = ?`,
    [errorClass, nodeId, causeKey, executionId],
  );
}

function insertEvents(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly after: number; readonly createdAt: number },
): void {
  const { plan, after, createdAt } = params;
  let sequence = after;
  for (const { kind, nodeId, payload, actorId } of plan.events) {
    sequence += 1;
    connection.run(
      `insert into events (
         execution_id, sequence, kind, node_id, payload, actor_id, created_at
       )
       values (?, ?, ?, ?, ?, ?, ?)`,
      [plan.executionId, sequence, kind, nodeId, payload, actorId, createdAt],
    );
  }
}

function writeWorkflowHold(
  connection: Connection,
  { executionId, tenantId, workflowHold }: CommitPlan,
): void {
  if (workflowHold === null) return;
  if (workflowHold.is !== 'put') {
    connection.run('delete from workflow_holds where execution_id = ?', [executionId]);
    return;
  }
  connection.run(
    `insert into workflow_holds (execution_id, tenant_id, workflow_id)
     values (?, ?, ?)
     on conflict (execution_id) do nothing`,
    [executionId, tenantId, workflowHold.workflowId],
  );
}

function writeSnapshot(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly lastSequence: number },
): void {
  const { plan, lastSequence } = params;
  if (plan.snapshot === null) return;
  connection.run(
    `insert into snapshots (execution_id, sequence, body)
     values (:execution_id, :sequence, :body)
     on conflict (execution_id) do update
     set sequence = excluded.sequence,
         body = excluded.body`,
    { execution_id: plan.executionId, sequence: lastSequence, body: plan.snapshot },
  );
}

function writeRunnable(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly shard: number },
): void {
  const { plan, shard } = params;
  const ends = plan.status !== null && isTerminal(plan.status);
  if (ends || plan.runnable === 'clear') {
    connection.run('delete from runnable where execution_id = ?', [plan.executionId]);
    return;
  }
  if (plan.runnable === 'mark') {
    markRunnable(connection, { executionId: plan.executionId, shard });
  }
  if (plan.usesToken === true) {
    connection.run(
      'update runnable set bucket_key = null, admitted_at = null where execution_id = ?',
      [plan.executionId],
    );
  }
}
