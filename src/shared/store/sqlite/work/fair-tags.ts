import {
  joiningTagsOf,
  readShare,
  TAG_BEFORE_FIRST,
  tagsOf,
} from '../../../domain/work/fair-queue.ts';
import { createFairTurns, type FairTurns } from '../../rows/fair-turns.ts';
import type { Connection } from '../connection/connect.ts';

const known = new WeakMap<Connection, FairTurns>();

/** The queues of shares that the process of this connection knows. */
export function turnsOf(connection: Connection): FairTurns {
  const turns = known.get(connection) ?? createFairTurns(() => connection.now());
  known.set(connection, turns);
  return turns;
}

/** As the index `work_queue_shares` has it. */
const SHARE_KEY = `substr(
    substr(queue_name, instr(queue_name, '~') + 1),
    1,
    instr(substr(queue_name, instr(queue_name, '~') + 1), '~') - 1
  )`;

const ofKey = (order: 'asc' | 'desc'): string => `
  select seq
  from work_queue
  where instr(queue_key, '~') > 0
    and queue_key = :queue_key
    and ${SHARE_KEY} = :share
    and priority = :priority
  order by seq ${order}
  limit 1`;

const FIRST_OF_KEY = ofKey('asc');
const LAST_OF_KEY = ofKey('desc');

const FIRST_OF_ALL = `
  select seq
  from work_queue
  where queue_key = :queue_key and priority = :priority
  order by seq
  limit 1`;

/**
 * The tag of an item that joins a queue of shares: see `fair-queue.ts`. No two rows have the same, so
 * it is the first one from there that is free. An empty queue begins at a time, which spreads queues.
 */
export function tagShare(connection: Connection, of: Sharing): number {
  const { share, at } = placeOf(of);
  const last = connection.get<{ readonly seq: number }>(LAST_OF_KEY, { ...at, share: share.key });
  if (last !== undefined) return firstFree(connection, last.seq + tagsOf(share));
  const first = connection.get<{ readonly seq: number }>(FIRST_OF_ALL, at);
  const before = first?.seq ?? TAG_BEFORE_FIRST + Math.floor(connection.now());
  return firstFree(connection, before + joiningTagsOf(share));
}

interface Sharing {
  readonly queueKey: string;
  readonly queueName: string;
  readonly priority: number;
}

function placeOf({ queueKey, queueName, priority }: Sharing) {
  const share = readShare(queueName);
  if (share === null) throw new Error(`the queue ${queueKey} needs the key of an item`);
  return { share, at: { queue_key: queueKey, priority } };
}

/**
 * The tag of an item that returns from a claim: its own, unless it would now wait behind its key, or for
 * more than a turn. The queue has perhaps been empty since, and begun again, or it is another one.
 */
export function tagReturned(
  connection: Connection,
  of: Sharing & { readonly tag: number },
): number {
  const { share, at } = placeOf(of);
  const ofKey = connection.get<{ readonly seq: number }>(FIRST_OF_KEY, { ...at, share: share.key });
  if (ofKey !== undefined) return Math.min(of.tag, ofKey.seq);
  const first = connection.get<{ readonly seq: number }>(FIRST_OF_ALL, at);
  return first === undefined ? of.tag : Math.min(of.tag, first.seq + tagsOf(share));
}

/** Items with one tag stand in a row from there, at most a hundredth of a turn long as a rule. */
const ROW_MAX = 655;

function firstFree(connection: Connection, tag: number): number {
  const row = connection.get<{ readonly seq: number | null }>(
    'select max(seq) as seq from work_queue where seq >= :tag and seq < :tag + :row_max',
    { tag, row_max: ROW_MAX },
  );
  const last = row?.seq ?? null;
  let free = last === null ? tag : last + 1;
  while (connection.get('select 1 from work_queue where seq = ?', [free]) !== undefined) free += 1;
  return free;
}
