import { allHold, executions, type Has } from './parts.ts';
import { after, INSTANT, namesOf, spell, STAMP, type Param } from '../parts.ts';
import { NEXT_FENCE, ticketColumns } from '../../rows.ts';

/*
 * The items of an optimistic commit. Leases end before others begin, which may belong to the same
 * item. None begins if the batch is refused: the items of a refused plan may be leased already.
 */

export function released(has: Has, $: Param): string {
  return `released as (
      delete from work_leases l
      using (
        select ${$.list('settles', ['work_item_id', 'execution_id', 'lease_fence'])}
      ) s
      where l.work_item_id = any(${$.array('settles', 'work_item_id')})
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
        ${ticketColumns()}, worker_id, lease_fence, claimed_at, expires_at, deadline_at,
        claim_id
      )
      select ${ticketColumns('t')}, t.worker_id, ${NEXT_FENCE}, ${INSTANT},
        ${INSTANT} + least(t.ms, t.node_timeout_ms) * interval '1 millisecond',
        ${INSTANT} + t.node_timeout_ms * interval '1 millisecond', t.claim_id
      from (
        select ${$.list('leases', ['execution_id', 'tenant_id', ...namesOf('leases')])}
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
        select ${$.list('queued', ['execution_id', 'tenant_id', ...namesOf('queued')])},
          generate_series(1, cardinality(${$.array('queued', 'work_item_id')})) as ordinal
      ) t
      join (${executions(has)}) a on a.id = t.execution_id
      order by t.ordinal
    )`;
}

export function described($: Param): string {
  const columns = ['execution_id', 'tenant_id', ...namesOf('items')] as const;
  return `described as (
      insert into work_items (${spell(columns)}, created_at)
      select ${$.list('items', columns)}, ${STAMP}
    )`;
}
