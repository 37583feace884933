import { matchesGlob } from '../../../domain/policy/policy.ts';
import { rangesOf, TOOL_KEY_MAX } from '../../../domain/work/claim-filter.ts';
import { isFairKey } from '../../../domain/work/fair-queue.ts';
import type { QueuePosition } from './claim-watermarks.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

/** The tool names of a claim: those that it names, and the waiting ones that its globs match. */
export type WaitingTools = (asked: {
  readonly keys: readonly string[];
  /** Per key: items before this position are not read. */
  readonly starts: readonly QueuePosition[];
  readonly globs: readonly string[];
}) => Promise<ToolsToClaim>;

export interface ToolsToClaim {
  /** Those on the queues of workers. */
  readonly own: readonly string[];
  /** Those on the queues of shares beside them. */
  readonly shared: readonly string[];
}

/*
 * Globs are matched here, like those of policies. The database skips from one name to the next
 * within the prefixes, so the cost depends on the number of names, not on the items waiting under
 * each.
 *
 * Processes of an older version queue items without the name of the tool. Once in a while this code
 * adds the missing names on a queue.
 */
export function createWaitingTools(
  pool: PostgresPool,
  now: () => number = () => performance.now(),
): WaitingTools {
  const namedAt = new Map<string, number>();

  async function nameOlder(keys: readonly string[]): Promise<void> {
    const time = now();
    const due = keys.filter((key) => time - (namedAt.get(key) ?? -Infinity) >= NAME_EVERY_MS);
    if (due.length === 0) return;
    if (namedAt.size > KEYS_MAX) namedAt.clear();
    for (const key of due) namedAt.set(key, time);
    let named: readonly unknown[];
    do named = await pool.run(NAME_OLDER, [due, NAMED_MAX]);
    while (named.length >= NAMED_MAX);
  }

  return async ({ keys, starts, globs }) => {
    await nameOlder(keys);
    const { names, prefixes } = rangesOf(globs);
    if (prefixes.length === 0) return { own: names, shared: names };
    const rows = await pool.run<FoundTool>(WAITING_TOOLS, [
      keys,
      starts.map(({ priority }) => priority),
      starts.map(({ seq }) => seq),
      prefixes,
      prefixes.map((prefix) => prefix + LAST_CHARACTER),
    ]);
    const found = rows.filter(({ tool }) => globs.some((glob) => matchesGlob(glob, tool)));
    const { shared = [], own = [] } = Object.groupBy(found, ({ queue_key: key }) =>
      isFairKey(key) ? 'shared' : 'own',
    );
    return { own: withNames(names, own), shared: withNames(names, shared) };
  };
}

interface FoundTool {
  readonly queue_key: string;
  readonly tool: string;
}

function withNames(names: readonly string[], found: readonly FoundTool[]): readonly string[] {
  return [...new Set([...names, ...found.map(({ tool }) => tool)])];
}

const NAME_EVERY_MS = 1_000;
const NAMED_MAX = 1_000;
const KEYS_MAX = 10_000;
const LAST_CHARACTER = '\u{10FFFF}';

const NAME_OLDER: Statement = {
  name: 'name-tools-of-queued',
  writes: true,
  text: `
    update work_queue q
    set tool = coalesce(
      (
        select left(i.tool, ${TOOL_KEY_MAX})
        from work_items i
        where i.work_item_id = q.work_item_id
      ),
      ''
    )
    where q.work_item_id = any(array(
      select o.work_item_id
      from work_queue o
      where o.queue_key = any($1::text[])
        and o.queue <> 'engine'
        and o.tool is null
      limit $2
      for update skip locked
    ))
    returning q.work_item_id`,
};

const nextTool = (after: string): string => `(
        select q.tool
        from work_queue q
        where q.queue_key = w.queue_key
          and q.queue <> 'engine'
          and ${after}
          and q.tool <= w.high
          and (q.priority, q.seq) >= (w.priority, w.seq)
        order by q.tool
        limit 1
      )`;

const WAITING_TOOLS: Statement = {
  name: 'list-waiting-tools',
  writes: false,
  text: `
    with recursive found (queue_key, priority, seq, high, tool) as (
      select w.queue_key, w.priority, w.seq, w.high, ${nextTool('q.tool >= w.low')}
      from (
        select a.queue_key, a.priority, a.seq, r.low collate "C" as low, r.high collate "C" as high
        from unnest($1::text[], $2::int4[], $3::int8[]) as a (queue_key, priority, seq)
        cross join unnest($4::text[], $5::text[]) as r (low, high)
      ) w
      union all
      select w.queue_key, w.priority, w.seq, w.high, ${nextTool('q.tool > w.tool')}
      from found w
      where w.tool is not null
    )
    select distinct f.queue_key, f.tool
    from found f
    where f.tool is not null`,
};
