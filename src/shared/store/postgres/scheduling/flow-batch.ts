import { executionIdFromUuid, type ExecutionId } from '../../../domain/ids.ts';
import { BATCH_MAX } from '../../../domain/workflow/flow/concurrency.ts';
import type { FlowStore } from '../../flow.ts';
import { isLive } from '../commit/places.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

export async function findBatch(
  pool: PostgresPool,
  { tenantId, placeKey, bytesMax }: Parameters<FlowStore['findBatch']>[0],
): Promise<readonly ExecutionId[]> {
  const rows = await pool.run<{ readonly id: string }>(FIND_BATCH, [
    tenantId,
    placeKey,
    bytesMax,
    BATCH_MAX + 1,
  ]);
  return rows.map(({ id }) => executionIdFromUuid(id));
}

/** The rule of the oldest counts. An execution that has ended leaves the line. */
const FIND_BATCH: Statement = {
  name: 'find-flow-batch',
  writes: true,
  text: `
    with gone as (
      delete from flow_waits g
      where g.execution_id = any(array(
        select w.execution_id
        from flow_waits w
        where w.tenant_id = $1
          and w.place_key = $2
          and ${isLive('w')} is not true
      ))
    ),
    counted as materialized (
      select f.execution_id, row_number() over earlier as nth, sum(f.batch_bytes) over earlier as bytes,
        first_value(f.places_max) over earlier as places_max,
        first_value(f.due_at) over earlier as due_at
      from (
        select w.execution_id, w.seq, w.batch_bytes, w.places_max, w.due_at
        from flow_waits w
        where w.tenant_id = $1
          and w.place_key = $2
          and ${isLive('w')}
        order by w.seq
        limit $4
      ) f
      window earlier as (order by f.seq)
    ),
    fitting as materialized (
      select c.execution_id, c.nth, c.places_max, c.due_at
      from counted c
      where c.nth <= c.places_max
        and (c.nth = 1 or c.bytes <= $3::int8)
    )
    select f.execution_id as id
    from fitting f
    where f.due_at <= clock_timestamp()
      or (select count(*) from fitting) = f.places_max
      or (select count(*) from fitting) < (select count(*) from counted)
    order by f.nth`,
};

/** Whether the batch of a line is due before its time: nothing more fits. */
export function isBatchFull(line: string, bytesMax: string): string {
  return `(
            select count(*) >= ${line}.places_max
              or (count(*) > 1 and sum(b.batch_bytes) > ${bytesMax}::int8)
            from (
              select w.batch_bytes
              from flow_waits w
              where w.tenant_id = ${line}.tenant_id
                and w.place_key = ${line}.place_key
              order by w.seq
              limit ${line}.places_max
            ) b
          )`;
}
