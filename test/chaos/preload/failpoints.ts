import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

import pg from 'pg';

/*
 * Loaded into a process before its program: `node --import failpoints.ts?folder=…&name=… program`.
 * The product knows nothing of it.
 *
 * It stands between the product and the driver of PostgreSQL, names every statement that writes, and
 * can end its own process just before the n-th of a name is sent, or once its answer has arrived and
 * nobody has been told. On SIGUSR2 it reads `<name>.orders.json` of the folder: what to do next. What
 * has happened it appends to `<name>.reached.jsonl`, one line each.
 *
 * The query of the URL says where, because threads of the pool are given no environment.
 */

/** What is to be done; each order stands until the next. */
export interface Orders {
  readonly failpoint?: {
    /** It ends at whichever of these comes first. */
    readonly at: Readonly<Record<string, 'before' | 'after'>>;
    /** The so-manieth of them from now on, from 1. */
    readonly nth: number;
  };
  /** Blocks the event loop, once. */
  readonly stallMs?: number;
  /** Threads of the pool end in this way. */
  readonly threads?: 'exit' | 'throw' | 'memory';
}

/** What has happened. */
export type Reached =
  /** The process of this id will hear orders. */
  | { readonly loaded: number }
  | { readonly seen: string }
  | { readonly hit: string; readonly when: 'before' | 'after' }
  | { readonly threadEnds: string };

const THREAD_LOOKS_EVERY_MS = 5;
/**
 * Numbers at a time: soon too many, without keeping the collector of garbage busy for long. One that
 * is large itself would end the process and not the thread.
 */
const MEMORY_STEP = 50_000;
const PARENT_LOOKS_EVERY_MS = 1_000;

const { searchParams } = new URL(import.meta.url);
const folder = searchParams.get('folder') ?? '';
const name = searchParams.get('name') ?? '';

if (isMainThread) {
  dieWithParent();
  watchStatements();
  tell({ loaded: process.pid });
} else {
  endThreadWhenOrdered();
}

function readOrders(): Orders {
  try {
    return JSON.parse(readFileSync(`${folder}/${name}.orders.json`, 'utf8')) as Orders;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function tell(reached: Reached): void {
  appendFileSync(`${folder}/${name}.reached.jsonl`, `${JSON.stringify(reached)}\n`);
}

/** Nobody is left behind when the run itself is killed. */
function dieWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, PARENT_LOOKS_EVERY_MS).unref();
}

function watchStatements(): void {
  let { failpoint } = readOrders();
  let left = failpoint?.nth ?? 0;
  const seen = new Set<string>();

  process.on('SIGUSR2', () => {
    const orders = readOrders();
    failpoint = orders.failpoint;
    left = failpoint?.nth ?? 0;
    if (orders.stallMs !== undefined) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, orders.stallMs);
    }
  });

  function dieHere(statement: string, when: 'before' | 'after'): void {
    tell({ hit: statement, when });
    process.kill(process.pid, 'SIGKILL');
  }

  type Query = (...args: unknown[]) => unknown;
  const driver = pg.Client.prototype as unknown as { query: Query };
  const { query: send } = driver;
  const watched: Query = function (this: unknown, ...args) {
    const statement = nameOf(args[0], args[1]);
    if (statement === null) return send.apply(this, args);
    if (!seen.has(statement)) {
      seen.add(statement);
      tell({ seen: statement });
    }
    const when = failpoint?.at[statement];
    if (when === undefined || (left -= 1) !== 0) return send.apply(this, args);
    if (when === 'before') dieHere(statement, when);
    const last = args.at(-1);
    if (typeof last === 'function') {
      const callback = last as Query;
      args[args.length - 1] = (...answer: unknown[]) => {
        dieHere(statement, when);
        return callback(...answer);
      };
      return send.apply(this, args);
    }
    const answered = send.apply(this, args) as Promise<unknown>;
    return answered.finally(() => dieHere(statement, when));
  };
  driver.query = watched;
}

/**
 * By its prepared name without the number of a variant, else by verb and table; null: it reads. Where it
 * writes one of `TOLD_OF`, that stands behind.
 */
export function nameOf(query: unknown, bound?: unknown): string | null {
  const config = typeof query === 'string' ? { text: query } : query;
  const {
    text,
    name: prepared,
    values,
  } = (config ?? {}) as {
    readonly text?: unknown;
    readonly name?: unknown;
    readonly values?: unknown;
  };
  if (typeof text !== 'string') return null;
  const [first] = text.trim().split(/[\s;]/, 1);
  if (/^commit$/i.test(first ?? '')) return 'commit';
  const write = WRITE.exec(text);
  if (write === null) return REMOVAL.exec(text)?.[1] ?? null;
  const name =
    typeof prepared === 'string'
      ? prepared.replace(/-\d+$/, '')
      : `${write[1]?.toLowerCase()} ${write[2]}`;
  const told = TOLD_OF.find((word) => holds(bound ?? values, word));
  return told === undefined ? name : `${name} of ${told}`;
}

/** Changes that are rare among the commits, and so would be among the deaths. */
const TOLD_OF = ['ExecutionPaused', 'ExecutionResumed', 'retried_from'];

/** Lists are bound as text, or in the driver's binary form. */
function holds(values: unknown, word: string): boolean {
  if (!Array.isArray(values)) return false;
  return values.some(
    (value) => (typeof value === 'string' || Buffer.isBuffer(value)) && value.includes(word),
  );
}

/** A function of the database that writes. */
const REMOVAL = /^\s*select (retire_executions)\(/;

const WRITE =
  /(?<!\bfor (?:no key )?)\b(insert|update|delete|merge)\s+(?:into\s+|from\s+)?(?:only\s+)?"?([a-z_]+)"?(?=[\s(])/i;

/** A thread cannot be signalled: it looks for itself, also while its first task is loading. */
function endThreadWhenOrdered(): void {
  setInterval(() => {
    const { threads } = readOrders();
    if (threads === undefined) return;
    tell({ threadEnds: threads });
    if (threads === 'exit') process.exit(1);
    if (threads === 'throw') throw new Error('this thread was ordered to fail');
    const taken: number[][] = [];
    for (;;) taken.push(Array<number>(MEMORY_STEP).fill(taken.length + 0.5));
  }, THREAD_LOOKS_EVERY_MS).unref();
}
