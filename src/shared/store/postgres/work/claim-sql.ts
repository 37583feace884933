import { leaseColumns, NEXT_FENCE, tenantIsActive, ticketColumns } from '../rows.ts';
import { expiryOf, leaseInsertColumns } from './lease-sql.ts';

/*
 * Common to all claims: the rows that `candidates` picks and locks move from `work_queue` to
 * `leases`, distributed to the workers in $1, under the claim ids in $5, which may be null. $2:
 * length of the lease. `left`: an expression that says whether the claim leaves nothing. `more`:
 * further columns, each after a comma.
 */
export function claimText(
  candidates: string,
  { left = 'null::boolean', more = '' }: { readonly left?: string; readonly more?: string } = {},
): string {
  const instant = '(select instant from clock)';
  const { expiresAt, deadlineAt } = expiryOf('t', instant, '$2::int8');
  return `
    with picked as materialized (${candidates}
    ),
    clock as materialized (
      select clock_timestamp() as instant
    ),
    taken as (
      delete from work_queue q
      where q.work_item_id = any(array(select work_item_id from picked))
      returning ${ticketColumns('q')}, q.queue_key, q.seq, q.enqueued_at
    ),
    leased as (
      insert into leases as l (${leaseInsertColumns()}, queue_seq, queued_at, claim_id)
      select ${ticketColumns('t')}, ($1::text[])[t.place], ${NEXT_FENCE}, ${instant}, ${expiresAt},
        ${deadlineAt}, ${expiresAt}, t.seq, t.enqueued_at, ($5::uuid[])[t.place]
      from (
        select *, row_number() over (order by priority, seq) as place
        from taken
      ) t
      order by t.place
      returning ${leaseColumns('l')}
    ),
    described as materialized (
      select i.work_item_id, i.tool, i.payload, i.retry_policy, i.heartbeat_interval_ms,
        i.queue_name, (
          select e.definition_id
          from executions e
          where e.id = i.execution_id
        ) as definition_id
      from work_items i
      where i.work_item_id = any(array(
        select t.work_item_id
        from taken t
        where t.queue <> 'engine'
      ))
    )
    select ${leaseColumns('l')}, false as timed_out, t.queue_key, t.seq, w.tool, w.payload,
      w.retry_policy, w.heartbeat_interval_ms, w.queue_name, w.definition_id,
      (
        select true
        from recorded_outputs o
        where o.execution_id = l.execution_id
          and o.idempotency_key = l.idempotency_key
        limit 1
      ) is true as has_recorded_output,
      ${left} as left_nothing${more}
    from leased l
    join taken t on t.work_item_id = l.work_item_id
    left join described w on w.work_item_id = l.work_item_id
    order by t.priority, t.seq`;
}

/**
 * The limit of candidates that are read without a lock, with spare ones for those that other claims
 * take.
 */
export function surplusOver(limit: string): string {
  return `${limit} + 100`;
}

/** The position where a claim on a single queue begins. */
export const CLAIM_START = { queueKey: '$6', priority: '$7::int4', seq: '$8::int8' };

/**
 * The position where a claim on several queues begins, for the queue of a row with these three
 * columns.
 */
export function claimStartOf(alias: string): typeof CLAIM_START {
  return { queueKey: `${alias}.queue_key`, priority: `${alias}.priority`, seq: `${alias}.seq` };
}

/**
 * Whether a claim may take an item of `work_queue`. `also`: further conditions of the claim.
 * `anyShard`: a condition under which the shards in $4 do not matter.
 */
export function isClaimable(params: {
  readonly item: string;
  readonly from: typeof CLAIM_START;
  readonly also?: string;
  readonly anyShard?: string;
}): string {
  const { item, from, also, anyShard } = params;
  return `${item}.queue_key = ${from.queueKey}
        ${also === undefined ? '' : `and ${also}`}
        and (${item}.priority, ${item}.seq) >= (${from.priority}, ${from.seq})
        and (${item}.start_before is null or ${item}.start_before > clock_timestamp())
        and (${anyShard === undefined ? '' : `${anyShard} or `}$4::int2[] is null or ${item}.shard = any($4))
        and ${tenantIsActive(item)}`;
}
