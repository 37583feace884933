import { CLAIM_START, claimStartOf, claimText, isClaimable, surplusOver } from './claim-sql.ts';
import type { Statement } from '../connection/connect.ts';

/** Like a claim on one queue, for the items of one tool, which an index keeps together. */
export const CLAIM_OF_TOOL: Statement = {
  name: 'claim-of-tool',
  writes: true,
  text: claimText(`
    select q.work_item_id
    from work_queue q
    where ${isClaimable({ item: 'q', from: CLAIM_START, also: isOfTool('q', '$9::text') })}
    order by q.priority, q.seq
    limit $3
    for update skip locked`),
};

/** The most heads that other claims may take meanwhile. */
const HEADS_SPARE = 20;

/*
 * The claim first looks up the head of each requested tool. The next n items over all tools belong
 * to the n tools with the oldest heads, so it reads more items only there.
 */
export const CLAIM_OF_TOOLS: Statement = {
  name: 'claim-of-tools',
  writes: true,
  text: claimText(`
    select q.work_item_id
    from work_queue q
    where q.work_item_id = any(array(
      select n.work_item_id
      from (
        select a.queue_key, t.tool, h.priority, h.seq
        from unnest($6::text[], $7::int4[], $8::int8[]) as a (queue_key, priority, seq)
        cross join unnest($9::text[]) as t (tool)
        cross join lateral (
          select c.priority, c.seq
          from work_queue c
          where ${isClaimable({ item: 'c', from: claimStartOf('a'), also: isOfTool('c', 't.tool') })}
          order by c.priority, c.seq
          limit 1
        ) h
        order by h.priority, h.seq
        limit $3 + ${HEADS_SPARE}
      ) o
      cross join lateral (
        select c.work_item_id, c.priority, c.seq
        from work_queue c
        where ${isClaimable({ item: 'c', from: claimStartOf('o'), also: isOfTool('c', 'o.tool') })}
        order by c.priority, c.seq
        limit ${surplusOver('$3')}
      ) n
      order by n.priority, n.seq
      limit ${surplusOver('$3')}
    ))
    order by q.priority, q.seq
    limit $3
    for update skip locked`),
};

/** Items of the engine's queue have no tool. */
function isOfTool(item: string, tool: string): string {
  return `${item}.queue <> 'engine' and ${item}.tool = ${tool}`;
}
