import { TAGS_PER_TURN } from '../../../domain/work/fair-queue.ts';
import type { Statement } from '../connection/connect.ts';
import { claimStartOf, claimText, isClaimable, surplusOver } from './claim-sql.ts';

/** Below all tags. */
export const LOWEST_TAG = Number.MIN_SAFE_INTEGER;

const SHARES = { queueKey: 'a.fair_key', priority: '0', seq: `${LOWEST_TAG}` };

/*
 * A claim on queues of which some may have shares beside them. A share comes by its tag. The items of
 * the queue itself are a class with a tag for each turn, after the last one that it had ($10 and $11),
 * but never far from the first share: see `classTagBefore`, which this repeats. Several queues are merged
 * by the ages of their next items: an item is as old as the youngest up to it in the order of its queue.
 * Without any shares, age alone decides.
 */
const candidates = (own: string | null, shared: string | null): string => `
    with asked as materialized (
      select a.*, h.seq as head, count(h.seq) over () as heads,
        case
          when a.last_priority = h.priority
            then least(greatest(a.last_tag, h.seq - ${TAGS_PER_TURN}), h.seq)
          else coalesce(h.seq, 0) - ${TAGS_PER_TURN}
        end as before
      from unnest($6::text[], $7::int4[], $8::int8[], $9::text[], $10::int4[], $11::int8[])
        as a (queue_key, priority, seq, fair_key, last_priority, last_tag)
      left join lateral (${first(SHARES, '1', shared)}
      ) h on true
    ),
    found as materialized (
      select n.work_item_id, n.priority, n.seq, n.is_shared, n.tag,
        case when n.heads > 0 then row_number() over own end as turn,
        case when n.heads > 0 then max(n.enqueued_at) over own end as since
      from (
        select c.work_item_id, c.priority, c.seq, c.enqueued_at, false as is_shared, a.queue_key, a.heads,
          a.before + ${TAGS_PER_TURN} * row_number() over (
            partition by a.queue_key
            order by c.priority, c.seq
          ) as tag
        from asked a
        cross join lateral (${first(claimStartOf('a'), surplusOver('$3'), own)}
        ) c
        union all
        select c.work_item_id, c.priority, c.seq, c.enqueued_at, true, a.queue_key, a.heads, c.seq
        from asked a
        cross join lateral (${first(SHARES, surplusOver('$3'), shared)}
        ) c
      ) n
      window own as (
        partition by n.queue_key, n.priority
        order by n.tag, n.is_shared, n.seq
        rows unbounded preceding
      )
      order by n.priority, since, turn, n.seq
      limit ${surplusOver('$3')}
    )
    select q.work_item_id, f.tag, (select max(a.heads) > 0 from asked a) as has_shares
    from work_queue q
    join found f on f.work_item_id = q.work_item_id
    where q.work_item_id = any(array(select work_item_id from found))
    order by f.priority, f.since, f.turn, f.seq
    limit $3
    for update of q skip locked`;

/** The first items of a queue, off an index: with tools, the first of each, and then of those. */
function first(from: typeof SHARES, limit: string, tools: string | null): string {
  const off = (also?: string): string => `
        select c.work_item_id, c.priority, c.seq, c.enqueued_at
        from work_queue c
        where ${isClaimable({
          item: 'c',
          from,
          anyShard: `c.queue <> 'engine'`,
          ...(also !== undefined && { also }),
        })}
        order by c.priority, c.seq
        limit ${limit}`;
  if (tools === null) return off();
  return `
        select c.work_item_id, c.priority, c.seq, c.enqueued_at
        from unnest(${tools}::text[]) as t (tool)
        cross join lateral (${off(`c.queue <> 'engine' and c.tool = t.tool`)}
        ) c
        order by c.priority, c.seq
        limit ${limit}`;
}

const MORE = `,
      (
        select p.tag
        from picked p
        where p.work_item_id = l.work_item_id
      ) as fair_tag,
      (
        select p.has_shares
        from picked p
        limit 1
      ) as has_shares`;

export const CLAIM_FAIR: Statement = {
  name: 'claim-fair',
  writes: true,
  text: claimText(candidates(null, null), { more: MORE }),
};

export const CLAIM_FAIR_OF_TOOLS: Statement = {
  name: 'claim-fair-of-tools',
  writes: true,
  text: claimText(candidates('$12', '$13'), { more: MORE }),
};
