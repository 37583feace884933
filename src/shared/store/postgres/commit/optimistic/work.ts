import { allHold, executions, type Has } from './parts.ts';
import { after, INSTANT, namesOf, spell, STAMP, type Param } from '../parts.ts';
import { NEXT_FENCE, shareOrderOf, ticketColumns } from '../../rows.ts';
import { expiryOf, leaseInsertColumns } from '../../work/lease-sql.ts';

/*
 * The items of an optimistic commit. Leases end before others begin, which may belong to the same
 * item. None begins if the batch is refused: the items of a refused plan may be leased already.
 *
 * If a plan ends a lease and begins one, the row moves from the first item to the second. The index
 * entries stay, so a step of a chain logs the change of one row, instead of two rows and their index
 * entries. A lease that an older process began lies in `work_leases` itself, where it ends.
 */

/** How leases end. */
export function endings(has: Has, $: Param): string[] {
  const afterMoves = has('moves') ? `and ${after('moved')}` : '';
  return [
    ...(has('handovers') ? [handed($, afterMoves)] : []),
    ...(has('drops')
      ? [
          `dropped as (
      delete from leases l
      using (
        select ${$.list('drops', ['work_item_id', 'execution_id', 'lease_fence'])}
      ) s
      where l.execution_id = any(${$.array('drops', 'execution_id')})
        and l.execution_id = s.execution_id
        and l.work_item_id = s.work_item_id
        and l.lease_fence = s.lease_fence
        ${afterMoves}
      returning l.work_item_id
    )`,
        ]
      : []),
    `released as (
      delete from only work_leases l
      using (
        select ${$.list('settles', ['work_item_id', 'execution_id', 'lease_fence'])}
      ) s
      where l.work_item_id = any(${$.array('settles', 'work_item_id')})
        and l.work_item_id = s.work_item_id
        and l.execution_id = s.execution_id
        and l.lease_fence = s.lease_fence
        ${afterMoves}
      returning l.work_item_id
    )`,
  ];
}

function handed($: Param, afterMoves: string): string {
  const { expiresAt, deadlineAt } = expiryOf('h', INSTANT);
  return `handed as (
      update leases l
      set (${ticketColumns()}) = row(${ticketColumns('h')}),
        worker_id = h.worker_id,
        lease_fence = ${NEXT_FENCE},
        claimed_at = ${INSTANT},
        expires_at = ${expiresAt},
        deadline_at = ${deadlineAt},
        look_at = least(l.look_at, ${expiresAt}),
        claim_id = h.claim_id,
        queue_seq = null,
        queued_at = null
      from (
        select ${$.list('handovers', ['execution_id', 'tenant_id', ...namesOf('handovers')])}
      ) h
      where l.execution_id = any(${$.array('handovers', 'execution_id')})
        and l.execution_id = h.execution_id
        and l.work_item_id = h.ended_item
        and l.lease_fence = h.ended_fence
        ${afterMoves}
      returning l.work_item_id, l.lease_fence
    )`;
}

export function born(has: Has, $: Param): string {
  const { expiresAt, deadlineAt } = expiryOf('t', INSTANT);
  return `born as (
      insert into leases (${leaseInsertColumns()}, claim_id)
      select ${ticketColumns('t')}, t.worker_id, ${NEXT_FENCE}, ${INSTANT}, ${expiresAt}, ${deadlineAt},
        ${expiresAt}, t.claim_id
      from (
        select ${$.list('leases', ['execution_id', 'tenant_id', ...namesOf('leases')])}
      ) t
      where ${allHold(has, $)}
        ${
          has('handovers')
            ? 'and not exists (select from handed h where h.work_item_id = t.work_item_id)'
            : ''
        }
      returning work_item_id, lease_fence
    )`;
}

/** The leases that the statement began, with their fences. */
export function begun(has: Has): string {
  return [
    'select work_item_id, lease_fence from born',
    ...(has('handovers') ? ['select work_item_id, lease_fence from handed'] : []),
  ].join(' union all ');
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
      order by ${shareOrderOf('t')}, t.ordinal
    )`;
}

export function described($: Param): string {
  const columns = ['execution_id', 'tenant_id', ...namesOf('items')] as const;
  return `described as (
      insert into work_items (${spell(columns)}, created_at)
      select ${$.list('items', columns)}, ${STAMP}
    )`;
}
