import { SHARD_COUNT, type ShardLocks } from '../../scheduling.ts';
import { advisoryKey } from '../connection/advisory-key.ts';
import type { ConnectionSettings } from '../connection/session.ts';
import {
  createDedicatedConnection,
  type DedicatedConnection,
} from '../connection/dedicated-connection.ts';

/*
 * Session advisory locks on one connection: one for each shard, one for each duty, and one that all
 * schedulers share, by which they are counted: a process that dies is missed as soon as its session
 * ends, where an announcement in a table would have to grow old first.
 *
 * Trusted: while the connection lives, nobody else has our locks. Not trusted: that we still work
 * alone. A process that was stopped for a while keeps its locks until its connection is found dead,
 * and may act on what it decided before; only fences and sequences guard against that. When the
 * connection breaks, everything is lost at once and the next `balance` starts from nothing; while
 * the database cannot be reached, nothing is held.
 *
 * Behind a pooler in transaction mode these locks mean nothing: give this connection a direct way.
 */

/** A connection that has counted the schedulers this recently is alive. */
const COUNT_PROVES_MS = 500;

const DUTIES = { timers: 0, prune: 1 } as const;

export function createShardLocks(
  settings: ConnectionSettings,
): ShardLocks & { close(): Promise<void> } {
  const mine = nothingHeld();
  const connection = createDedicatedConnection({
    settings: { ...settings, applicationName: `${settings.applicationName}-locks` },
    onLost: () => forgetAll(mine),
  });
  const on: Locking = { connection, mine };
  const inTurn = createTurns();
  /** A failed call gives the connection up with everything it held, so `mine` is empty by then. */
  const attempt = (work: () => Promise<void>) => work().catch(settings.onBackgroundError);
  return {
    countSchedulers: () =>
      inTurn(async () => {
        await attempt(() => countPresent(on));
        return mine.lastCount;
      }),

    balance: ({ target }) =>
      inTurn(async () => {
        await attempt(() => balanceShards(on, Math.max(0, Math.min(SHARD_COUNT, target))));
        return [...mine.shards].toSorted((left, right) => left - right);
      }),

    tryDuty: (duty) =>
      inTurn(async () => {
        if (!mine.duties.has(duty)) await attempt(() => takeDuty(on, duty));
        return mine.duties.has(duty);
      }),

    releaseAll: () =>
      inTurn(async () => {
        if (mine.shards.size + mine.duties.size === 0 && !mine.isPresent) return;
        forgetLocks(mine);
        await connection.query('select pg_advisory_unlock_all()', []);
      }),

    close: () => connection.close(),
  };
}

/** The locks of this process. */
interface Mine {
  readonly shards: Set<number>;
  readonly duties: Set<keyof typeof DUTIES>;
  isPresent: boolean;
  lastCount: number;
  countedAt: number;
}

interface Locking {
  readonly connection: DedicatedConnection;
  readonly mine: Mine;
}

function nothingHeld(): Mine {
  return {
    shards: new Set(),
    duties: new Set(),
    isPresent: false,
    lastCount: 1,
    countedAt: -Infinity,
  };
}

function forgetLocks(mine: Mine): void {
  mine.shards.clear();
  mine.duties.clear();
  mine.isPresent = false;
}

function forgetAll(mine: Mine): void {
  forgetLocks(mine);
  mine.countedAt = -Infinity;
}

/** One at a time: two balances at once would each take what the other still needs. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let queue: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  };
}

async function countPresent({ connection, mine }: Locking): Promise<void> {
  const key = advisoryKey('presence', 0);
  if (!mine.isPresent) {
    await connection.query('select pg_advisory_lock_shared($1)', [key]);
    mine.isPresent = true;
  }
  const [row] = await connection.query<{ readonly schedulers: number }>(COUNT_PRESENT, [key]);
  mine.lastCount = Math.max(1, row?.schedulers ?? 1);
  mine.countedAt = performance.now();
}

async function balanceShards(on: Locking, wanted: number): Promise<void> {
  const { connection, mine } = on;
  if (mine.shards.size > wanted) await giveBack(on, [...mine.shards].slice(wanted));
  else if (mine.shards.size < wanted) await takeSome(on, wanted);
  // Nothing to change: a connection that has vanished in silence is noticed here, unless it has
  // answered a moment ago.
  else if (performance.now() - mine.countedAt > COUNT_PROVES_MS) {
    await connection.query('select 1', []);
  }
}

async function takeSome({ connection, mine }: Locking, wanted: number): Promise<void> {
  const held = mine.shards;
  const free = shuffle(allShards().filter((shard) => !held.has(shard)));
  // No more at a time than are wanted: a lock that is granted is taken.
  for (let start = 0; start < free.length && held.size < wanted;) {
    const tried = free.slice(start, start + wanted - held.size);
    start += tried.length;
    const rows = await connection.query<{ readonly shard: number }>(
      `select t.shard
       from unnest($1::int4[], $2::int8[]) as t (shard, key)
       where pg_try_advisory_lock(t.key)`,
      [tried, tried.map((shard) => advisoryKey('shard', shard))],
    );
    for (const { shard } of rows) held.add(shard);
  }
}

async function giveBack({ connection, mine }: Locking, shards: readonly number[]): Promise<void> {
  for (const shard of shards) mine.shards.delete(shard);
  await connection.query('select pg_advisory_unlock(t.key) from unnest($1::int8[]) as t (key)', [
    shards.map((shard) => advisoryKey('shard', shard)),
  ]);
}

async function takeDuty({ connection, mine }: Locking, duty: keyof typeof DUTIES): Promise<void> {
  const [row] = await connection.query<{ readonly taken: boolean }>(
    'select pg_try_advisory_lock($1) as taken',
    [advisoryKey('duty', DUTIES[duty])],
  );
  if (row?.taken === true) mine.duties.add(duty);
}

/** A 64-bit key stands in pg_locks as its two halves. */
const COUNT_PRESENT = `
  select count(distinct l.pid)::int4 as schedulers
  from pg_locks l
  where l.locktype = 'advisory'
    and l.granted
    and l.objsubid = 1
    and l.classid::int8 = $1::int8 >> 32
    and l.objid::int8 = $1::int8 & 4294967295
    and l.database = (select d.oid from pg_database d where d.datname = current_database())`;

function allShards(): number[] {
  return Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
}

/** Schedulers that start together try different shards first. */
function shuffle(shards: readonly number[]): readonly number[] {
  return shards
    .map((shard) => ({ shard, order: Math.random() }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ shard }) => shard);
}
