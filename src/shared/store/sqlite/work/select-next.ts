import { matchesGlob } from '../../../domain/policy/policy.ts';
import {
  filterKey,
  queueKeysOf,
  rangesOf,
  TOOL_KEY_MAX,
} from '../../../domain/work/claim-filter.ts';
import { fairKeyOf } from '../../../domain/work/fair-queue.ts';
import type { TakenTurn } from '../../rows/fair-turns.ts';
import type { ClaimRequest } from '../../work.ts';
import type { Connection } from '../connection/connect.ts';
import { turnsOf } from './fair-tags.ts';
import { mergeTurns } from './merge-turns.ts';
import { TENANT_IS_ACTIVE, TICKET_COLUMNS, type TicketRecord } from '../rows.ts';

/** A candidate: `seq` is its age. */
export interface RawQueued extends TicketRecord {
  readonly seq: number;
  /** Set if a share waits beside the queue. */
  readonly turn?: TakenTurn;
  readonly enqueued_at: number;
  readonly queue_name: string | null;
}

/**
 * The best of each queue, then the best of those: with several queues in one query, SQLite would
 * sort all their items at every claim instead of reading the first few off the index.
 */
export function selectNext(
  connection: Connection,
  request: ClaimRequest,
  now: number,
): readonly RawQueued[] {
  const { shards, tools = null } = request;
  // SQLite treats a negative limit as no limit.
  const limit = Math.max(0, request.limit);
  if (limit === 0) return [];
  const keys = queueKeysOf(request);
  const select = (key: string): readonly RawQueued[] => {
    const of = {
      queue_key: key,
      now,
      shards: key !== 'engine' || shards === null ? null : JSON.stringify(shards),
    };
    return tools === null
      ? connection.all<RawQueued>(NEXT, { ...of, limit })
      : selectOfTools(connection, { of, tools, limit });
  };
  const turns = turnsOf(connection);
  const filter = filterKey({ tools });
  if (!turns.mayWait(keys, filter)) return oldest(keys.flatMap(select), limit);
  const looked = turns.looking(keys, filter);
  const parts = keys.map((key) => {
    const shares = key === 'engine' ? [] : oldest(select(fairKeyOf(key)), limit);
    return { key, items: oldest(select(key), limit), shares, last: turns.last(key) };
  });
  looked(parts.some(({ shares }) => shares.length > 0));
  return mergeTurns(parts, limit);
}

function oldest<Item extends Pick<RawQueued, 'priority' | 'seq'>>(
  items: readonly Item[],
  limit: number,
): readonly Item[] {
  return items
    .toSorted((left, right) => left.priority - right.priority || left.seq - right.seq)
    .slice(0, limit);
}

/**
 * The heads of all tools first. The next n items over all tools belong to the n tools with the
 * oldest heads, so it reads more items only there.
 */
function selectOfTools(
  connection: Connection,
  asked: {
    readonly of: {
      readonly queue_key: string;
      readonly now: number;
      readonly shards: string | null;
    };
    readonly tools: readonly string[];
    readonly limit: number;
  },
): readonly RawQueued[] {
  const { of, tools, limit } = asked;
  const select = (tool: string, count: number) =>
    connection.all<RawQueued>(NEXT_OF_TOOL, { ...of, tool, limit: count });
  const names = listWaiting(connection, of.queue_key, tools);
  const [only] = names;
  if (names.length === 1 && only !== undefined) return select(only, limit);
  const heads = names.flatMap((tool) => select(tool, 1).map((head) => ({ ...head, tool })));
  return oldest(heads, limit).flatMap(({ tool }) => select(tool, limit));
}

/** The tools that the filter names, and the waiting ones that its globs match. */
function listWaiting(
  connection: Connection,
  queueKey: string,
  globs: readonly string[],
): readonly string[] {
  // An older version omits the name of the tool.
  connection.run(NAME_OLDER, { queue_key: queueKey });
  const { names, prefixes } = rangesOf(globs);
  const found = new Set(names);
  for (const prefix of prefixes) {
    const high = prefix + LAST_CHARACTER;
    let tool = nextTool(FIRST_TOOL, { queue_key: queueKey, low: prefix, high });
    while (tool !== null) {
      const name = tool;
      if (globs.some((glob) => matchesGlob(glob, name))) found.add(name);
      tool = nextTool(TOOL_AFTER, { queue_key: queueKey, low: name, high });
    }
  }
  return [...found];

  function nextTool(
    text: string,
    of: { readonly queue_key: string; readonly low: string; readonly high: string },
  ): string | null {
    return connection.get<{ readonly tool: string }>(text, of)?.tool ?? null;
  }
}

const LAST_CHARACTER = '\u{10FFFF}';

const next = (ofTool: string): string => `
  select seq, enqueued_at, queue_name, ${TICKET_COLUMNS}
  from work_queue
  where queue_key = :queue_key ${ofTool}
    and (start_before is null or start_before > :now)
    and (:shards is null or shard in (select value from json_each(:shards)))
    and ${TENANT_IS_ACTIVE}
  order by priority, seq
  limit :limit`;

const NEXT = next('');
const NEXT_OF_TOOL = next(`and queue <> 'engine' and tool = :tool`);

const toolWhere = (above: string): string => `
  select tool
  from work_queue
  where queue_key = :queue_key and queue <> 'engine' and ${above} and tool <= :high
  order by tool
  limit 1`;

const FIRST_TOOL = toolWhere('tool >= :low');
const TOOL_AFTER = toolWhere('tool > :low');

const NAME_OLDER = `
  update work_queue
  set tool = coalesce(
    (
      select substr(tool, 1, ${TOOL_KEY_MAX})
      from work_items
      where work_items.work_item_id = work_queue.work_item_id
    ),
    ''
  )
  where queue_key = :queue_key and queue <> 'engine' and tool is null`;
