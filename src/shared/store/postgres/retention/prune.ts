import { sql } from 'slonik';
import { z } from 'zod';

import { DECIDED_MS } from '../../readings/approvals.ts';
import { DELIVERY_LOG_MS } from '../../webhooks.ts';
import type { Management } from '../connection/management.ts';
import { WORKER_SILENCE_MS_MAX } from '../work/workers.ts';

const Deleted = z.object({ deleted: z.int() });

/** Rows deleted at a time: a long delete would hold back vacuum on the queues. */
const ROWS_MAX = 10_000;

/** Deletes what no reading shows any more; returns the number of rows. */
export async function prune(management: Management): Promise<number> {
  let total = 0;
  for (;;) {
    const [row] = await management.any(
      sql.type(Deleted)`
        with silent as (
          delete from workers w
          where w.last_heartbeat <= clock_timestamp()
            - ${WORKER_SILENCE_MS_MAX}::int8 * interval '1 millisecond'
          returning w.worker_id
        ),
        expired as materialized (
          select k.tenant_id, k.key
          from request_keys k
          where k.created_at <= clock_timestamp() - interval '24 hours'
          order by k.created_at
          limit ${ROWS_MAX}
          for update skip locked
        ),
        forgotten as (
          delete from request_keys k
          using expired e
          where k.tenant_id = e.tenant_id
            and k.key = e.key
          returning k.key
        ),
        ended as materialized (
          select d.delivery_id
          from webhook_deliveries d
          where d.status <> 'pending'
            and d.ended_at <= clock_timestamp()
              - ${DELIVERY_LOG_MS}::int8 * interval '1 millisecond'
          order by d.ended_at
          limit ${ROWS_MAX}
          for update skip locked
        ),
        cleared as (
          delete from webhook_deliveries d
          using ended e
          where d.delivery_id = e.delivery_id
          returning d.delivery_id
        ),
        felled as (
          delete from execution_trees t
          where t.root_execution_id = any(array(
            select g.root_execution_id
            from execution_trees g
            where not exists (
              select
              from executions e
              where e.id = g.root_execution_id
                and e.status in ('running', 'paused')
            )
            limit ${ROWS_MAX}
          ))
          returning t.root_execution_id
        ),
        vacated as (
          delete from child_places c
          where c.execution_id = any(array(
            select p.execution_id
            from child_places p
            where not exists (
              select
              from executions e
              where e.id = p.execution_id
                and e.status in ('running', 'paused')
            )
            limit ${ROWS_MAX}
          ))
          returning c.execution_id
        ),
        left_behind as (
          delete from flow_places c
          where c.execution_id = any(array(
            select p.execution_id
            from flow_places p
            where not exists (
              select
              from executions e
              where e.id = p.execution_id
                and e.status in ('running', 'paused')
            )
            limit ${ROWS_MAX}
          ))
          returning c.execution_id
        ),
        full_buckets as (
          delete from quota_buckets b
          where b.bucket_key = any(array(
            select f.bucket_key
            from quota_buckets f
            where f.full_at_us < extract(epoch from clock_timestamp()) * 1000000
            limit ${ROWS_MAX}
          ))
            and b.full_at_us < extract(epoch from clock_timestamp()) * 1000000
          returning b.bucket_key
        ),
        quota_places_left as (
          delete from quota_places q
          where q.work_item_id = any(array(
            select p.work_item_id
            from quota_places p
            where not exists (
              select
              from executions e
              where e.id = p.execution_id
                and e.status in ('running', 'paused')
            )
            limit ${ROWS_MAX}
          ))
          returning q.work_item_id
        ),
        old as (
          delete from approvals a
          where (a.execution_id, a.sequence) in (
            (
              select d.execution_id, d.sequence
              from approvals d
              where d.decided_at is not null
                and d.decided_at <= statement_timestamp()
                  - ${DECIDED_MS}::int8 * interval '1 millisecond'
              order by d.decided_at
              limit ${ROWS_MAX}
            )
            union all
            (
              select o.execution_id, o.sequence
              from approvals o
              where o.decided_at is null
                and not exists (
                  select
                  from executions e
                  where e.id = o.execution_id
                    and e.status in ('running', 'paused')
                )
              limit ${ROWS_MAX}
            )
          )
          returning a.sequence
        )
        select (select count(*) from silent) + (select count(*) from forgotten)
          + (select count(*) from cleared) + (select count(*) from felled)
          + (select count(*) from vacated) + (select count(*) from left_behind)
          + (select count(*) from full_buckets)
          + (select count(*) from quota_places_left) + (select count(*) from old) as deleted`,
      { writes: true },
    );
    total += row?.deleted ?? 0;
    if (row === undefined || row.deleted < ROWS_MAX) return total;
  }
}
