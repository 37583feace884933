import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

import pg from 'pg';

/*
 * Loaded into a process before its program: `node --import failpoints.ts?folder=…&name=… program`.
 * The product does not know about it.
 * It wraps the PostgreSQL driver and names every statement that writes. It can end its own process
 * just before it sends the n-th statement of a name, or once the answer has arrived and before the
 * caller has it. On SIGUSR2 it reads its next orders from `<name>.orders.json` in the folder. It
 * appends one line per occurrence to `<name>.reached.jsonl`.
 * The query of the URL names folder and process, because threads of the pool get no environment.
 */

/** Orders for a process; each applies until the next. */
export interface Orders {
  readonly failpoint?: {
    /** The process ends at the first of these that it reaches. */
    readonly at: Readonly<Record<string, 'before' | 'after'>>;
    /** Counts matching statements from now on, from 1. */
    readonly nth: number;
  };
  /** Blocks the event loop once. */
  readonly stallMs?: number;
  /** Ends threads of the pool in this way. */
  readonly threads?: 'exit' | 'throw' | 'memory';
}

/** An occurrence in a process. */
export type Reached =
  /** The process with this id can receive orders. */
  | { readonly loaded: number }
  | { readonly seen: string }
  | { readonly hit: string; readonly when: 'before' | 'after' }
  | { readonly threadEnds: string };

const THREAD_LOOKS_EVERY_MS = 5;
/**
 * Numbers per array: enough arrays exhaust the memory soon, and keep the garbage collector busy
 * only briefly. One huge array would end the process instead of the thread.
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

/** Ends this process when the run itself is killed. */
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
 * Names a statement by its prepared name without the number of its variant, or by verb and table;
 * null: it only reads. A statement that writes a word of `TOLD_OF` has that word at the end of its
 * name.
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
  const called = CALL.exec(text)?.[1];
  if (called !== undefined) return called;
  const write = WRITE.exec(text);
  if (write === null) return null;
  const name =
    typeof prepared === 'string'
      ? prepared.replace(/-\d+$/, '')
      : `${write[1]?.toLowerCase()} ${write[2]}`;
  const told = TOLD_OF.find((word) => holds(bound ?? values, word));
  return told === undefined ? name : `${name} of ${told}`;
}

/** Changes that are rare among the commits, and would otherwise be rare among the deaths. */
const TOLD_OF = ['ExecutionPaused', 'ExecutionResumed', 'retried_from'];

/** The driver binds lists as text, or in its binary form. */
function holds(values: unknown, word: string): boolean {
  if (!Array.isArray(values)) return false;
  return values.some(
    (value) => (typeof value === 'string' || Buffer.isBuffer(value)) && value.includes(word),
  );
}

/** A database function that writes. */
const CALL = /\bselect (retire_executions|import_execution)\(/;

const WRITE =
  /(?<!\bfor (?:no key )?)\b(insert|update|delete|merge)\s+(?:into\s+|from\s+)?(?:only\s+)?"?([a-z_]+)"?(?=[\s(])/i;

/** A thread gets no signals, so it polls, also while its first task is loading. */
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
