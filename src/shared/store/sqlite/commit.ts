import { isTerminal } from '../../domain/execution/status.ts';
import type {
  CommitPlan,
  CommitVerdict,
  ExistingRequest,
  NewExecution,
  RefusalReason,
} from '../commit.ts';
import { writeItems, writeTimers } from './commit-effects.ts';
import type { Connection } from './connect.ts';
import { toIso } from './rows.ts';

/*
 * Carries out plans (see `CommitPlan`). A batch is one immediate transaction: nobody else writes
 * between the first judgement and the commit, so a plan is first judged as a whole by reading, and
 * only when everything it states still holds is anything written. A refused plan has written
 * nothing, and its neighbours never notice it. Plans of one batch see each other in their order.
 *
 * A plan that cannot be written at all (a duplicate item id, say) is a bug in the plan: the whole
 * batch is rolled back and the error thrown, and the caller finds the culprit by halving the batch.
 */

/** How long an Idempotency-Key counts. */
export const REQUEST_KEY_MS = 24 * 60 * 60 * 1000;

export function commitPlans(
  connection: Connection,
  plans: readonly CommitPlan[],
): Promise<readonly CommitVerdict[]> {
  return connection.write(() => {
    const now = connection.now();
    return plans.map((plan) => commitPlan(connection, plan, now));
  });
}

function commitPlan(connection: Connection, plan: CommitPlan, now: number): CommitVerdict {
  const { create } = plan;
  const judged =
    create === null
      ? judgeExecution(connection, plan)
      : judgeNewExecution(connection, { plan, create, now });
  if ('accepted' in judged) return judged;
  if (isStale(connection, plan, now)) return refuse('stale');
  return writePlan(connection, { plan, execution: judged, now });
}

/** What a plan needs to know about its execution. */
interface Head {
  readonly tenant_id: string;
  readonly status: CommitPlan['status'];
  readonly shard: number;
  readonly last_sequence: number;
  readonly updated_at: number;
}

function judgeExecution(connection: Connection, plan: CommitPlan): Head | CommitVerdict {
  const head = findHead(connection, plan);
  if (head === undefined || head.tenant_id !== plan.tenantId) return refuse('missing');
  if (head.status !== null && isTerminal(head.status)) return refuse('ended');
  const { expectedSequence } = plan;
  if (expectedSequence !== null && expectedSequence !== head.last_sequence) return refuse('moved');
  return head;
}

function judgeNewExecution(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly create: NewExecution; readonly now: number },
): Head | CommitVerdict {
  const { plan, create, now } = params;
  const existing = findRequest(connection, { plan, create, now });
  if (existing !== null) return { accepted: false, reason: 'duplicate_request', existing };
  if (findHead(connection, plan) !== undefined) return refuse('exists');
  return {
    tenant_id: plan.tenantId,
    status: null,
    shard: create.shard,
    last_sequence: 0,
    updated_at: now,
  };
}

function findHead(connection: Connection, plan: CommitPlan): Head | undefined {
  return connection.get<Head>(
    `select tenant_id, status, shard, last_sequence, updated_at
     from executions
     where id = :id`,
    { id: plan.executionId },
  );
}

function findRequest(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly create: NewExecution; readonly now: number },
): ExistingRequest | null {
  const { plan, create, now } = params;
  if (create.request === null) return null;
  const row = connection.get<ExistingRequest>(
    `select execution_id as executionId, body_hash as bodyHash
     from request_keys
     where tenant_id = :tenant_id and key = :key and created_at > :since`,
    { tenant_id: plan.tenantId, key: create.request.key, since: now - REQUEST_KEY_MS },
  );
  return row ?? null;
}

/** Whether a lease, queued item or timer that the plan counts on is gone or not due. */
function isStale(connection: Connection, plan: CommitPlan, now: number): boolean {
  const { executionId } = plan;
  const settled = plan.settles.every((settle) =>
    connection.get(
      `select 1
       from work_leases
       where work_item_id = :work_item_id
         and execution_id = :execution_id
         and lease_fence = :lease_fence
         and expires_at <= :expires_by`,
      {
        work_item_id: settle.workItemId,
        execution_id: executionId,
        lease_fence: settle.leaseFence,
        expires_by: settle.onlyIfExpired ? now : Number.MAX_SAFE_INTEGER,
      },
    ),
  );
  const queued = plan.expiresQueued.every((workItemId) =>
    connection.get(
      `select 1
       from work_queue
       where work_item_id = :work_item_id
         and execution_id = :execution_id
         and start_before <= :now`,
      { work_item_id: workItemId, execution_id: executionId, now },
    ),
  );
  const due = plan.firesTimers.every((name) =>
    connection.get(
      `select 1
       from timers
       where execution_id = :execution_id and name = :name and due_at <= :now`,
      { execution_id: executionId, name, now },
    ),
  );
  return !(settled && queued && due);
}

function writePlan(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly execution: Head; readonly now: number },
): CommitVerdict {
  const { plan, execution, now } = params;
  // The clock may have been set back: an execution's events never are.
  const createdAt = Math.max(now, execution.updated_at);
  const lastSequence = execution.last_sequence + plan.events.length;
  if (plan.create === null) updateExecution(connection, { plan, lastSequence, createdAt });
  else insertExecution(connection, { plan, create: plan.create, lastSequence, createdAt });
  insertEvents(connection, { plan, after: execution.last_sequence, createdAt });
  const fences = writeItems(connection, { plan, shard: execution.shard, now });
  writeTimers(connection, { plan, now });
  writeRecordedOutput(connection, { plan, after: execution.last_sequence, createdAt });
  writeSnapshot(connection, { plan, lastSequence });
  writeRunnable(connection, { plan, shard: execution.shard });
  return { accepted: true, lastSequence, createdAt: toIso(createdAt), fences };
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
     values (
       :id, :tenant_id, :definition_id, :workflow_id, :workflow_version, :shard, :priority,
       :parent_execution_id, :status, :last_sequence, :error, :now, :now, :completed_at
     )`,
    {
      id: plan.executionId,
      tenant_id: plan.tenantId,
      definition_id: create.definitionId,
      workflow_id: create.workflowId,
      workflow_version: create.workflowVersion,
      shard: create.shard,
      priority: create.priority,
      parent_execution_id: create.parentExecutionId,
      status,
      last_sequence: lastSequence,
      error: plan.error,
      now: createdAt,
      completed_at: isTerminal(status) ? createdAt : null,
    },
  );
  if (create.request === null) return;
  // A key that no longer counts makes room for the new one.
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
       set last_sequence = :last_sequence,
           updated_at = :updated_at
       where id = :id`,
      { id: plan.executionId, last_sequence: lastSequence, updated_at: createdAt },
    );
    return;
  }
  connection.run(
    `update executions
     set last_sequence = :last_sequence,
         updated_at = :updated_at,
         status = :status,
         error = :error,
         completed_at = :completed_at
     where id = :id`,
    {
      id: plan.executionId,
      last_sequence: lastSequence,
      updated_at: createdAt,
      status,
      error: plan.error,
      completed_at: isTerminal(status) ? createdAt : null,
    },
  );
}

function insertEvents(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly after: number; readonly createdAt: number },
): void {
  const { plan, after, createdAt } = params;
  for (const [index, event] of plan.events.entries()) {
    connection.run(
      `insert into events (
         execution_id, sequence, kind, node_id, payload, actor_id, created_at
       )
       values (
         :execution_id, :sequence, :kind, :node_id, :payload, :actor_id, :created_at
       )`,
      {
        execution_id: plan.executionId,
        sequence: after + index + 1,
        kind: event.kind,
        node_id: event.nodeId,
        payload: event.payload,
        actor_id: event.actorId,
        created_at: createdAt,
      },
    );
  }
}

function writeRecordedOutput(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly after: number; readonly createdAt: number },
): void {
  const { plan, after, createdAt } = params;
  if (plan.recordsOutput === null) return;
  // The first result under a key is the result; a later one is never handed out.
  connection.run(
    `insert into recorded_outputs (
       execution_id, idempotency_key, work_item_id, event_sequence, created_at
     )
     values (:execution_id, :idempotency_key, :work_item_id, :event_sequence, :created_at)
     on conflict (execution_id, idempotency_key) do nothing`,
    {
      execution_id: plan.executionId,
      idempotency_key: plan.recordsOutput.idempotencyKey,
      work_item_id: plan.recordsOutput.workItemId,
      event_sequence: after + plan.recordsOutput.eventIndex + 1,
      created_at: createdAt,
    },
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
    connection.run('delete from runnable where execution_id = :id', { id: plan.executionId });
  } else if (plan.runnable === 'mark') {
    // An older mark stays: the execution keeps its place.
    connection.run(
      `insert into runnable (execution_id, shard)
       values (:id, :shard)
       on conflict (execution_id) do nothing`,
      { id: plan.executionId, shard },
    );
  }
}

function refuse(reason: RefusalReason): CommitVerdict {
  return { accepted: false, reason, existing: null };
}
