import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import type { WorkTicket } from '../../../domain/work/work-item.ts';
import type { FoundWorkItem, Lease, WorkStore } from '../../work.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { findDeadLetter, listDeadLetters, requeue } from './dead-letters.ts';
import { claim, claimTogether, listClaimed, renew } from './leases.ts';
import { turnsOf } from './fair-tags.ts';
import { insertDeadLetter } from './queue.ts';
import {
  LEASE_COLUMNS,
  RECORD_COLUMNS,
  TENANT_IS_ACTIVE,
  TICKET_COLUMNS,
  decodeLease,
  decodeRecord,
  decodeTicket,
  type LeaseRecord,
  type WorkItemRow,
  type TicketRecord,
} from '../rows.ts';
import { tellWebhooks } from '../commit/webhook-outbox.ts';

export function createWorkStore(connection: Connection): WorkStore {
  return {
    claim: (request) => connection.write(() => claim(connection, request)),
    noteAdded: (queueKey) => turnsOf(connection).note(queueKey),
    claimTogether: (request) => connection.write(() => claimTogether(connection, request)),
    listClaimed: (ref) => connection.read(() => listClaimed(connection, ref)),
    renew: (leases) => connection.write(() => renew(connection, leases)),
    find: (id, tenantId) => connection.read(() => findWorkItem(connection, id, tenantId)),
    listHeld: (params) => connection.read(() => listHeld(connection, params)),
    listExpiredLeases: (params) => connection.read(() => listExpiredLeases(connection, params)),
    listOverdueQueued: (params) => connection.read(() => listOverdueQueued(connection, params)),
    settleUnfenced: (params) => connection.write(() => settleUnfenced(connection, params)),
    recordedOutput: (params) => connection.read(() => findRecordedOutput(connection, params)),
    listDeadLetters: (params) => connection.read(() => listDeadLetters(connection, params)),
    findDeadLetter: (id, tenantId) =>
      connection.read(() => findDeadLetter(connection, id, tenantId)),
    requeue: (params) => connection.write(() => requeue(connection, params)),
  };
}

function findWorkItem(
  connection: Connection,
  id: WorkItemId,
  tenantId: TenantId,
): FoundWorkItem | null {
  const record = connection.get<WorkItemRow & { readonly definition_id: DefinitionId }>(
    `select ${RECORD_COLUMNS}, (
       select definition_id
       from executions
       where executions.id = work_items.execution_id
     ) as definition_id
     from work_items
     where work_item_id = :id and tenant_id = :tenant_id`,
    { id, tenant_id: tenantId },
  );
  if (record === undefined) return null;
  const lease = findLease(connection, id);
  return {
    record: decodeRecord(record),
    definitionId: record.definition_id,
    lease,
    place: lease === null ? findPlace(connection, id) : 'leased',
    releasedFence: findReleased(connection, id),
  };
}

function findReleased(connection: Connection, id: WorkItemId): number | null {
  const row = connection.get<{ readonly released_fence: number | null }>(
    'select released_fence from retry_timers where work_item_id = :id',
    { id },
  );
  return row?.released_fence ?? null;
}

function findLease(connection: Connection, id: WorkItemId): Lease | null {
  const row = connection.get<LeaseRecord>(
    `select ${LEASE_COLUMNS}, queue_seq, queued_at
     from work_leases
     where work_item_id = :id`,
    { id },
  );
  return row === undefined ? null : decodeLease(row, connection.now());
}

function findPlace(connection: Connection, id: WorkItemId): FoundWorkItem['place'] {
  const row = connection.get<{ readonly place: FoundWorkItem['place'] }>(
    `select case
       when exists (select 1 from work_queue where work_item_id = :id) then 'queued'
       when exists (select 1 from retry_timers where work_item_id = :id) then 'retrying'
       when exists (select 1 from dead_letters where work_item_id = :id) then 'dead_lettered'
       else 'settled'
     end as place`,
    { id },
  );
  return row?.place ?? 'settled';
}

function listHeld(
  connection: Connection,
  { workerId, executionId }: Parameters<WorkStore['listHeld']>[0],
): readonly Lease[] {
  const now = connection.now();
  const ofOne = executionId === null ? '' : 'and execution_id = :execution_id';
  return connection
    .all<LeaseRecord>(
      `select ${LEASE_COLUMNS}
       from work_leases
       where worker_id = :worker_id and queue = 'engine' ${ofOne}
       order by lease_fence`,
      { worker_id: workerId, ...(executionId !== null && { execution_id: executionId }) },
    )
    .map((row) => decodeLease(row, now));
}

function listExpiredLeases(
  connection: Connection,
  params: { readonly limit: number },
): readonly Lease[] {
  const now = connection.now();
  return connection
    .all<LeaseRecord>(
      `select ${LEASE_COLUMNS}
       from work_leases
       where expires_at <= :now and ${TENANT_IS_ACTIVE}
       order by expires_at
       limit :limit`,
      { now, limit: params.limit },
    )
    .map((row) => decodeLease(row, now));
}

function listOverdueQueued(
  connection: Connection,
  params: { readonly limit: number },
): readonly WorkTicket[] {
  return connection
    .all<TicketRecord>(
      `select ${TICKET_COLUMNS}
       from work_queue
       where start_before <= :now and ${TENANT_IS_ACTIVE}
       order by start_before
       limit :limit`,
      { now: connection.now(), limit: params.limit },
    )
    .map(decodeTicket);
}

function settleUnfenced(
  connection: Connection,
  params: Parameters<WorkStore['settleUnfenced']>[0],
): boolean {
  const lease = connection.get<TicketRecord & { readonly worker_id: string }>(
    `delete from work_leases
     where work_item_id = :id and tenant_id = :tenant_id
     returning ${TICKET_COLUMNS}, worker_id`,
    { id: params.workItemId, tenant_id: params.tenantId },
  );
  if (lease === undefined) return false;
  const now = connection.now();
  if (params.record !== null) {
    connection.run(
      `insert into recorded_outputs (
         execution_id, idempotency_key, work_item_id, output, state_patch, created_at
       )
       values (
         :execution_id, :idempotency_key, :work_item_id, :output, :state_patch, :created_at
       )
       on conflict (execution_id, idempotency_key) do nothing`,
      {
        execution_id: lease.execution_id,
        idempotency_key: lease.idempotency_key,
        work_item_id: lease.work_item_id,
        output: JSON.stringify(params.record.output),
        state_patch: JSON.stringify(params.record.statePatch),
        created_at: now,
      },
    );
  }
  if (params.deadLetter !== null) {
    insertDeadLetter(connection, {
      workItemId: params.workItemId,
      executionId: lease.execution_id,
      attempt: lease.attempt,
      error: params.deadLetter,
      cause: null,
      now,
    });
    tellWebhooks(connection, {
      executionId: lease.execution_id,
      tenantId: params.tenantId,
      statusBefore: null,
      messages: [
        {
          eventType: 'work_item.dead_lettered',
          data: {
            execution_id: lease.execution_id,
            work_item_id: lease.work_item_id,
            attempt: lease.attempt,
            error: params.deadLetter,
          },
          ifStatusBecomes: null,
        },
      ],
      now,
    });
  }
  appendAudit(connection, {
    tenantId: params.tenantId,
    executionId: lease.execution_id as ExecutionId,
    eventType: 'work_item_settled_unfenced',
    actorId: `worker:${lease.worker_id}`,
    payload: {
      work_item_id: lease.work_item_id,
      node_id: lease.node_id,
      attempt: lease.attempt,
      output_recorded: params.record !== null,
      dead_letter: params.deadLetter,
    },
  });
  return true;
}

function findRecordedOutput(
  connection: Connection,
  params: { readonly executionId: ExecutionId; readonly idempotencyKey: string },
): { readonly output: JsonValue; readonly statePatch: JsonObject } | null {
  const row = connection.get<{
    readonly output: string | null;
    readonly state_patch: string | null;
    readonly payload: string | null;
  }>(
    `select recorded.output, recorded.state_patch, events.payload
     from recorded_outputs as recorded
     left join events
       on events.execution_id = recorded.execution_id
       and events.sequence = recorded.event_sequence
     where recorded.execution_id = :execution_id
       and recorded.idempotency_key = :idempotency_key`,
    { execution_id: params.executionId, idempotency_key: params.idempotencyKey },
  );
  if (row === undefined) return null;
  if (row.payload === null) {
    return {
      output: JSON.parse(row.output ?? 'null') as JsonValue,
      statePatch: JSON.parse(row.state_patch ?? '{}') as JsonObject,
    };
  }
  const payload = JSON.parse(row.payload) as {
    readonly output: JsonValue;
    readonly state_patch?: JsonObject;
  };
  return { output: payload.output, statePatch: payload.state_patch ?? {} };
}
