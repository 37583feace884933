import type { ExecutionId } from '../../../domain/ids.ts';
import type { EndedDebounce, FlowStore } from '../../flow.ts';
import type { NextLine } from '../../rows/next-line.ts';
import type { Connection } from '../connection/connect.ts';

const NOTHING: EndedDebounce = { begun: [], hasMoved: false };

/** See `END_DEBOUNCE` of PostgreSQL. */
export function endDebounce(
  connection: Connection,
  { tenantId, placeKey }: Parameters<FlowStore['endDebounce']>[0],
): EndedDebounce {
  connection.run(
    `delete from flow_waits
     where tenant_id = ?
       and place_key = ?
       and not exists (
         select 1
         from executions e
         where e.id = flow_waits.execution_id and e.status in ('running', 'paused')
       )`,
    [tenantId, placeKey],
  );
  const waiting = connection.all<{
    readonly executionId: ExecutionId;
    readonly shard: number;
    readonly since: number;
    readonly dueAt: number;
    readonly nextLine: string | null;
  }>(
    `select execution_id as executionId, shard, since, due_at as dueAt, next_line as nextLine
     from flow_waits
     where tenant_id = ? and place_key = ?
     order by seq desc
     limit 2`,
    [tenantId, placeKey],
  );
  const [newest, older] = waiting;
  const now = connection.now();
  if (newest === undefined || older !== undefined || newest.dueAt > now) return NOTHING;
  const { executionId, shard, since, nextLine } = newest;
  connection.run('delete from flow_waits where execution_id = ?', [executionId]);
  if (nextLine === null) {
    connection.run(
      `insert into runnable (execution_id, shard)
       values (?, ?)
       on conflict (execution_id) do nothing`,
      [executionId, shard],
    );
    return { begun: [{ executionId, shard, waitedMs: now - since }], hasMoved: false };
  }
  const line = JSON.parse(nextLine) as NextLine;
  connection.run(
    `insert into flow_waits (
       execution_id, tenant_id, place_key, places_max, shard, since, places_key, bucket_key,
       interval_us, burst, cancels_oldest
     )
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      executionId,
      tenantId,
      line.place_key,
      line.places_max,
      shard,
      now,
      line.places_key,
      line.bucket_key,
      line.interval_us,
      line.burst,
      line.cancels_oldest ? 1 : 0,
    ],
  );
  return { begun: [], hasMoved: true };
}
