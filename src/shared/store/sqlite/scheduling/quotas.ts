import type { WorkItemId } from '../../../domain/ids.ts';
import type { PacedAdmission, QuotaStore } from '../../quotas.ts';
import type { Connection } from '../connection/connect.ts';
import { moveToEnd } from '../work/queue.ts';
import { openBucket } from './buckets.ts';

export function createQuotaStore(connection: Connection): QuotaStore {
  return {
    listWaiting: (params) => connection.read(() => listWaiting(connection, params)),
    admit: (queue, options) => connection.write(() => admit(connection, queue, options)),
    admitAtRate: (queue, options) =>
      connection.write(() => admitAtRate(connection, queue, options)),
  };
}

/** From one queue to the next by the index, however many items wait on each. */
function listWaiting(
  connection: Connection,
  { after, limit }: Parameters<QuotaStore['listWaiting']>[0],
): readonly string[] {
  const keys: string[] = [];
  for (let last = after ?? ''; keys.length < limit;) {
    const next = connection.get<{ readonly queue_key: string }>(
      `select queue_key
       from work_queue
       where queue_name is not null and instr(queue_key, '#') > 0 and queue_key > ?
       order by queue_key
       limit 1`,
      [last],
    );
    if (next === undefined) break;
    last = next.queue_key;
    keys.push(last);
  }
  return keys;
}

/** See `admit_quota` of PostgreSQL. */
function admit(
  connection: Connection,
  { waiting, served, quota, limit }: Parameters<QuotaStore['admit']>[0],
  { atMost }: Parameters<QuotaStore['admit']>[1],
): readonly WorkItemId[] {
  connection.run(
    `delete from quota_places
     where quota_key = ?
       and not exists (
         select 1
         from work_queue q
         where q.work_item_id = quota_places.work_item_id and instr(q.queue_key, '#') = 0
       )
       and not exists (
         select 1
         from work_leases l
         where l.work_item_id = quota_places.work_item_id
       )`,
    [quota],
  );
  const free = Math.min(atMost, limit - countTaken(connection, quota));
  const moved = moveFirst(connection, { waiting, served, count: free });
  for (const { work_item_id: id, execution_id: executionId, tenant_id: tenantId } of moved) {
    connection.run(
      `insert into quota_places (work_item_id, execution_id, tenant_id, quota_key)
       values (?, ?, ?, ?)`,
      [id, executionId, tenantId, quota],
    );
  }
  return moved.map(({ work_item_id: id }) => id);
}

/** See `admit_quota_at_rate` of PostgreSQL. */
function admitAtRate(
  connection: Connection,
  queue: Parameters<QuotaStore['admitAtRate']>[0],
  { atMost }: Parameters<QuotaStore['admitAtRate']>[1],
): PacedAdmission {
  const bucket = openBucket(connection, queue.bucket);
  const count = Math.min(bucket.tokens, atMost);
  const admitted = count > 0 ? admitSome(connection, queue, count) : [];
  return { admitted, ...bucket.take(admitted.length) };
}

function admitSome(
  connection: Connection,
  queue: Parameters<QuotaStore['admitAtRate']>[0],
  count: number,
): readonly WorkItemId[] {
  const { limit } = queue;
  return limit === null
    ? moveFirst(connection, { ...queue, count }).map(({ work_item_id: id }) => id)
    : admit(connection, { ...queue, limit }, { atMost: count });
}

function moveFirst(
  connection: Connection,
  of: { readonly waiting: string; readonly served: string; readonly count: number },
): readonly Picked[] {
  const { waiting, served, count } = of;
  if (count <= 0) return [];
  const picked = connection.all<Picked>(
    `select work_item_id, execution_id, tenant_id
     from work_queue
     where queue_key = ?
     order by priority, seq
     limit ?`,
    [waiting, count],
  );
  for (const { work_item_id: workItemId } of picked) {
    moveToEnd(connection, { workItemId, queueKey: served });
  }
  return picked;
}

interface Picked {
  readonly work_item_id: WorkItemId;
  readonly execution_id: string;
  readonly tenant_id: string;
}

function countTaken(connection: Connection, quota: string): number {
  const row = connection.get<{ readonly taken: number }>(
    'select count(*) as taken from quota_places where quota_key = ?',
    [quota],
  );
  return row?.taken ?? 0;
}
