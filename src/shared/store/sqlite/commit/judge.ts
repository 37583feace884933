import { isTerminal, type ExecutionStatus } from '../../../domain/execution/status.ts';
import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import type { CommitPlan, ExistingRequest, NewExecution, RefusalReason } from '../../commit.ts';
import type { Connection } from '../connection/connect.ts';
import { judgeTree } from './judge-tree.ts';
import { arePlacesTaken } from './places.ts';
import { findStandingPause } from '../workflows/workflow-pauses.ts';

/** Reads whether every condition of a plan still holds; writes nothing. */

/** The lifetime of an Idempotency-Key. */
export const REQUEST_KEY_MS = 24 * 60 * 60 * 1000;

export type Judgement =
  | { readonly holds: true; readonly head: Head }
  | {
      readonly holds: false;
      readonly reason: RefusalReason;
      readonly existing: ExistingRequest | null;
    };

/** The facts about an execution that writing its plan needs. */
export interface Head {
  readonly shard: number;
  readonly lastSequence: number;
  readonly updatedAt: number;
  /** Null: it is new. */
  readonly status: ExecutionStatus | null;
}

export function judgePlan(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly now: number },
): Judgement {
  const { plan, now } = params;
  const { create } = plan;
  const judged =
    create === null
      ? judgeExecution(connection, plan)
      : judgeNewExecution(connection, { plan, create, now });
  if (!judged.holds) return judged;
  const unfit = findUnfitHold(connection, plan);
  if (unfit !== null) return refuse(unfit);
  const barren = judgeTree(connection, plan);
  if (barren !== null) return refuse(barren);
  const current =
    plan.settles.every((settle) => isHeld(connection, { plan, settle, now })) &&
    plan.keepsLeases.every((lease) =>
      isHeld(connection, { plan, settle: { ...lease, onlyIfExpired: false }, now }),
    ) &&
    plan.expiresQueued.every((item) => isOverdue(connection, { plan, item, now })) &&
    plan.firesTimers.every((timer) => isDue(connection, { plan, timer, now }));
  return current ? judged : refuse('stale');
}

interface ExecutionHead {
  readonly tenant_id: string;
  readonly status: ExecutionStatus;
  readonly shard: number;
  readonly last_sequence: number;
  readonly updated_at: number;
}

function judgeExecution(connection: Connection, plan: CommitPlan): Judgement {
  const row = findExecution(connection, plan);
  if (row === undefined || row.tenant_id !== plan.tenantId) return refuse('missing');
  if (isTerminal(row.status)) return refuse('ended');
  const { expectedSequence } = plan;
  if (expectedSequence !== null && expectedSequence !== row.last_sequence) return refuse('moved');
  const { shard, last_sequence: lastSequence, updated_at: updatedAt, status } = row;
  return { holds: true, head: { shard, lastSequence, updatedAt, status } };
}

function judgeNewExecution(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly create: NewExecution; readonly now: number },
): Judgement {
  const { plan, create, now } = params;
  if (findExecution(connection, plan) !== undefined) return refuse('exists');
  if (create.isDerived === true && wasRemoved(connection, plan)) return refuse('exists');
  const existing = findRequest(connection, { plan, create, now });
  if (existing !== null) return { holds: false, reason: 'duplicate_request', existing };
  const crowded = findCrowded(connection, plan, create);
  if (crowded !== null) return refuse(crowded);
  const head = { shard: create.shard, lastSequence: 0, updatedAt: now, status: null };
  return { holds: true, head };
}

function findExecution(connection: Connection, plan: CommitPlan): ExecutionHead | undefined {
  return connection.get<ExecutionHead>(
    `select tenant_id, status, shard, last_sequence, updated_at
     from executions
     where id = ?`,
    [plan.executionId],
  );
}

function wasRemoved(connection: Connection, { executionId }: CommitPlan): boolean {
  const sql = 'select 1 from retired_executions where execution_id = ?';
  return connection.get(sql, [executionId]) !== undefined;
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

function findUnfitHold(
  connection: Connection,
  { tenantId, workflowHold }: CommitPlan,
): RefusalReason | null {
  if (workflowHold === null || workflowHold.is === 'drop') return null;
  const { workflowId, is } = workflowHold;
  const stands = findStandingPause(connection, { tenantId, workflowId }) !== null;
  if (is === 'put') return stands ? null : 'workflow_resumed';
  return stands ? 'workflow_paused' : null;
}

/** Plans of one batch see each other, so executions started by earlier plans count. */
function findCrowded(
  connection: Connection,
  plan: CommitPlan,
  create: NewExecution,
): RefusalReason | null {
  const { executionsMax = null, queuedItemsMax = null } = create.limits ?? {};
  const { tenantId } = plan;
  if (executionsMax !== null && countLive(connection, tenantId, executionsMax) >= executionsMax) {
    return 'executions_limited';
  }
  if (
    queuedItemsMax !== null &&
    countQueued(connection, tenantId, queuedItemsMax) >= queuedItemsMax
  ) {
    return 'queue_limited';
  }
  const { takesPlace } = create;
  const isTaken = takesPlace !== undefined && arePlacesTaken(connection, tenantId, takesPlace);
  return isTaken ? 'places_taken' : null;
}

/**
 * Counts no further than `limit`, as PostgreSQL's `lock_tenant_room` does. An execution that uses
 * the place of its parent takes none, and while children wait there is no place for others.
 */
function countLive(connection: Connection, tenantId: string, limit: number): number {
  const of = { tenant_id: tenantId };
  const waiting = connection.get(
    `select 1 from child_places where tenant_id = :tenant_id and state = 'waiting' limit 1`,
    of,
  );
  if (waiting !== undefined) return limit;
  const row = connection.get<{ readonly live: number }>(
    `select count(*) as live
     from (
       select 1
       from executions e
       where e.tenant_id = :tenant_id
         and e.status in ('running', 'paused')
         and not exists (select 1 from child_places c where c.execution_id = e.id)
       limit :limit
     )`,
    { ...of, limit },
  );
  return row?.live ?? 0;
}

function countQueued(connection: Connection, tenantId: string, limit: number): number {
  const row = connection.get<{ readonly queued: number }>(
    `select count(*) as queued
     from (
       select *
       from (select 1 from work_queue where queue_key in (:python, :java, :function) limit :limit)
       union all
       select *
       from (
         select 1
         from work_queue
         where tenant_id = :tenant_id and queue_name is not null
         limit :limit
       )
     )`,
    {
      python: queueKeyOf({ tenantId, queue: 'python_tool' }),
      java: queueKeyOf({ tenantId, queue: 'java_tool' }),
      function: queueKeyOf({ tenantId, queue: 'function' }),
      tenant_id: tenantId,
      limit,
    },
  );
  return row?.queued ?? 0;
}

function isHeld(
  connection: Connection,
  params: {
    readonly plan: CommitPlan;
    readonly settle: CommitPlan['settles'][number];
    readonly now: number;
  },
): boolean {
  const { plan, settle, now } = params;
  const lease = connection.get<{ readonly expires_at: number }>(
    `select expires_at
     from work_leases
     where work_item_id = ?
       and execution_id = ?
       and lease_fence = ?`,
    [settle.workItemId, plan.executionId, settle.leaseFence],
  );
  return lease !== undefined && (!settle.onlyIfExpired || lease.expires_at <= now);
}

function isOverdue(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly item: string; readonly now: number },
): boolean {
  const { plan, item, now } = params;
  const queued = connection.get(
    `select 1
     from work_queue
     where work_item_id = :work_item_id
       and execution_id = :execution_id
       and start_before <= :now`,
    { work_item_id: item, execution_id: plan.executionId, now },
  );
  return queued !== undefined;
}

function isDue(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly timer: string; readonly now: number },
): boolean {
  const { plan, timer, now } = params;
  const due = connection.get(
    `select 1
     from timers
     where execution_id = :execution_id and name = :name and due_at <= :now`,
    { execution_id: plan.executionId, name: timer, now },
  );
  return due !== undefined;
}

function refuse(reason: RefusalReason): Judgement {
  return { holds: false, reason, existing: null };
}
