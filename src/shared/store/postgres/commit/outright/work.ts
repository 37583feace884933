import { allHold, executions, type Has, type Param } from './parts.ts';
import { after, INSTANT, STAMP } from '../parts.ts';
import { NEXT_FENCE, ticketColumns } from '../../rows.ts';

/*
 * The items of an outright commit. Leases end before others begin, which may be of the same item. None
 * begins when the batch does not hold: items of a plan that is to be refused may be leased already.
 */

export function released(has: Has, $: Param): string {
  return `released as (
      delete from work_leases l
      using (
        select unnest(${$('settle_item')}) as work_item_id,
          unnest(${$('settle_execution')}) as execution_id, unnest(${$('settle_fence')}) as lease_fence
      ) s
      where l.work_item_id = any(${$('settle_item')})
        and l.work_item_id = s.work_item_id
        and l.execution_id = s.execution_id
        and l.lease_fence = s.lease_fence
        ${has('moves') ? `and ${after('moved')}` : ''}
      returning l.work_item_id
    )`;
}

export function born(has: Has, $: Param): string {
  return `born as (
      insert into work_leases (
        ${ticketColumns()}, worker_id, lease_fence, claimed_at, expires_at, deadline_at
      )
      select ${ticketColumns('t')}, t.worker_id, ${NEXT_FENCE}, ${INSTANT},
        ${INSTANT} + least(t.ms, t.node_timeout_ms) * interval '1 millisecond',
        ${INSTANT} + t.node_timeout_ms * interval '1 millisecond'
      from (
        select unnest(${$('born_item')}) as work_item_id, unnest(${$('born_execution')}) as execution_id,
          unnest(${$('born_tenant')}) as tenant_id, unnest(${$('born_node')}) as node_id,
          unnest(${$('born_visit')}) as visit, unnest(${$('born_attempt')}) as attempt,
          unnest(${$('born_queue')}) as queue, unnest(${$('born_priority')}) as priority,
          unnest(${$('born_key')}) as idempotency_key,
          unnest(${$('born_node_timeout')}) as node_timeout_ms,
          unnest(${$('born_start_timeout')}) as schedule_to_start_ms,
          unnest(${$('born_worker')}) as worker_id, unnest(${$('born_ms')}) as ms
      ) t
      where ${allHold(has, $)}
      returning work_item_id, lease_fence
    )`;
}

export function enqueued(has: Has, $: Param): string {
  return `enqueued as (
      insert into work_queue (
        queue_key, queue_name, tool, shard, start_before, enqueued_at, ${ticketColumns()}
      )
      select t.queue_key, t.queue_name, t.tool, a.shard,
        ${INSTANT} + t.schedule_to_start_ms * interval '1 millisecond', ${INSTANT},
        ${ticketColumns('t')}
      from (
        select unnest(${$('queued_item')}) as work_item_id,
          unnest(${$('queued_execution')}) as execution_id, unnest(${$('queued_tenant')}) as tenant_id,
          unnest(${$('queued_node')}) as node_id, unnest(${$('queued_visit')}) as visit,
          unnest(${$('queued_attempt')}) as attempt, unnest(${$('queued_queue')}) as queue,
          unnest(${$('queued_priority')}) as priority, unnest(${$('queued_key')}) as idempotency_key,
          unnest(${$('queued_node_timeout')}) as node_timeout_ms,
          unnest(${$('queued_start_timeout')}) as schedule_to_start_ms,
          unnest(${$('queued_in')}) as queue_key, unnest(${$('queued_name')}) as queue_name,
          unnest(${$('queued_tool')}) as tool,
          generate_series(1, cardinality(${$('queued_item')})) as ordinal
      ) t
      join (${executions(has)}) a on a.id = t.execution_id
      order by t.ordinal
    )`;
}

export function described($: Param): string {
  return `described as (
      insert into work_items (
        work_item_id, execution_id, tenant_id, node_id, visit, queue, idempotency_key, tool,
        payload, retry_policy, heartbeat_interval_ms, node_timeout_ms, schedule_to_start_ms,
        queue_name, created_at
      )
      select unnest(${$('record_item')}), unnest(${$('record_execution')}),
        unnest(${$('record_tenant')}), unnest(${$('record_node')}), unnest(${$('record_visit')}),
        unnest(${$('record_queue')}), unnest(${$('record_key')}), unnest(${$('record_tool')}),
        unnest(${$('record_payload')}), unnest(${$('record_retry_policy')}),
        unnest(${$('record_heartbeat')}), unnest(${$('record_node_timeout')}),
        unnest(${$('record_start_timeout')}), unnest(${$('record_queue_name')}), ${STAMP}
    )`;
}
