import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { WorkTicket } from '../../../domain/work/work-item.ts';
import type { DueTimer, TimerStore } from '../../scheduling.ts';
import type { Connection } from '../connection/connect.ts';
import { enqueue, findNames, giveBack } from '../work/queue.ts';
import {
  HELD_DUE_AT,
  TENANT_IS_ACTIVE,
  TICKET_COLUMNS,
  decodeTicket,
  type TicketRecord,
} from '../rows.ts';

export function createTimerStore(connection: Connection): TimerStore {
  return {
    listDue: (params) => connection.read(() => listDue(connection, params)),
    isDue: (timer) => connection.read(() => isDue(connection, timer)),
    promoteRetries: (params) => connection.write(() => promoteRetries(connection, params)),
    nextDueInMs: () => connection.read(() => nextDueInMs(connection)),
    discard: (timers) => connection.write(() => discard(connection, timers)),
  };
}

interface RawTimer {
  readonly execution_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly purpose: DueTimer['purpose'];
  readonly node_id: string | null;
  readonly visit: number | null;
}

function listDue(connection: Connection, params: { readonly limit: number }): readonly DueTimer[] {
  return connection
    .all<RawTimer>(
      `select execution_id, tenant_id, name, purpose, node_id, visit
       from timers
       where due_at <= :now and ${TENANT_IS_ACTIVE}
       order by due_at
       limit :limit`,
      { now: connection.now(), limit: params.limit },
    )
    .map((row) => ({
      executionId: row.execution_id as ExecutionId,
      tenantId: row.tenant_id as TenantId,
      name: row.name,
      purpose: row.purpose,
      nodeId: row.node_id,
      visit: row.visit,
    }));
}

function isDue(
  connection: Connection,
  { executionId, name }: Parameters<TimerStore['isDue']>[0],
): boolean {
  const due = connection.get(
    'select 1 from timers where execution_id = ? and name = ? and due_at <= ?',
    [executionId, name, connection.now()],
  );
  return due !== undefined;
}

interface PromotedRecord extends TicketRecord {
  readonly shard: number;
  readonly queue_seq: number | null;
  readonly queued_at: number | null;
  readonly queue_name: string | null;
}

function promoteRetries(
  connection: Connection,
  params: { readonly limit: number },
): readonly WorkTicket[] {
  const now = connection.now();
  const due = connection.all<PromotedRecord>(
    `select ${TICKET_COLUMNS}, shard, queue_seq, queued_at, queue_name
     from retry_timers
     where due_at <= :now and ${TENANT_IS_ACTIVE}
     order by due_at
     limit :limit`,
    { now, limit: params.limit },
  );
  return due.map((row) => {
    connection.run('delete from retry_timers where work_item_id = :id', { id: row.work_item_id });
    const { shard, queue_seq: seq, queued_at: queuedAt, queue_name: queueName } = row;
    const promoted = { ...decodeTicket(row), ...(queueName !== null && { queueName }) };
    const { ticket, tool } = findNames(connection, promoted);
    const item = { ticket, tool, shard, now };
    if (seq === null || queuedAt === null) enqueue(connection, item);
    else giveBack(connection, { ...item, seq, queuedAt });
    return ticket;
  });
}

function discard(connection: Connection, timers: Parameters<TimerStore['discard']>[0]): void {
  for (const { executionId, name } of timers) {
    connection.run(
      `delete from timers
       where execution_id = :execution_id
         and name = :name
         and not exists (
           select 1
           from executions e
           where e.id = timers.execution_id and e.status in ('running', 'paused')
         )`,
      { execution_id: executionId, name },
    );
  }
}

export function nextDueInMs(connection: Connection): number | null {
  const row = connection.get<{ readonly due_at: number | null }>(
    `select min(due_at) as due_at
     from (
       select min(due_at) as due_at
       from timers
       where due_at < ${HELD_DUE_AT} and ${TENANT_IS_ACTIVE}
       union all
       select min(due_at) as due_at
       from retry_timers
       where due_at < ${HELD_DUE_AT} and ${TENANT_IS_ACTIVE}
     )`,
  );
  const dueAt = row?.due_at ?? null;
  return dueAt === null ? null : Math.max(0, dueAt - connection.now());
}
