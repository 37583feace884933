import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import test from 'ava';

import { listCells } from '../../bench/cells.ts';
import { runCell } from '../../bench/support/cell-process.ts';
import { openDatabases, type Databases } from '../../bench/support/databases.ts';
import { openEngine } from '../../bench/support/engine-process.ts';
import { inLanes } from '../../bench/support/lanes.ts';
import type { Measurement } from '../../bench/support/measurement.ts';
import { createVirtualTimers } from '../scheduler/virtual-timers.ts';

/*
 * The database budget per unit: the test runs workloads of the benchmark briefly, on a separate
 * server. Rates change with the machine, but these counters hardly do. A change that makes the
 * engine send more statements therefore fails here.
 * The server writes no full pages to its log, because the number of pages that a window touches
 * first is random.
 */

/**
 * Per step, and for D per item: slightly more than measured. The counters include statements that
 * loops send periodically, so a slow or shared machine has more of them per unit.
 */
const BUDGETS = [
  { cell: 'A/16', statements: 0.4, writeTransactions: 0.22, walBytes: 3_100 },
  { cell: 'B/16', statements: 0.15, writeTransactions: 0.1, walBytes: 1_261 },
  { cell: 'C/16', statements: 0.06, writeTransactions: 0.04, walBytes: 1_350 },
  { cell: 'D/16', statements: 1.8, writeTransactions: 1.2, walBytes: 2_450 },
  { cell: 'W10/1', statements: 4, writeTransactions: 2.4, walBytes: 2_400 },
  { cell: 'W10/16', statements: 1.2, writeTransactions: 0.7, walBytes: 2_400 },
  { cell: 'W10/64', statements: 0.7, writeTransactions: 0.35, walBytes: 2_400 },
  { cell: 'WF/1', statements: 4.5, writeTransactions: 2.6, walBytes: 1_400 },
  { cell: 'WF/16', statements: 1.6, writeTransactions: 0.7, walBytes: 1_400 },
  { cell: 'WE/1', statements: 4.5, writeTransactions: 2.6, walBytes: 1_400 },
  { cell: 'WE/16', statements: 1.5, writeTransactions: 0.7, walBytes: 1_400 },
] as const;

/** Two idle schedulers, and two idle APIs with two waiting workers each. */
const IDLE_STATEMENTS_PER_SECOND = 1.7;

const SECONDS = 0.5;
const SECONDS_MAX = 60;
const cells = listCells({ pgbench: null, churnSeconds: 0, seconds: SECONDS, large: false });
let databases: Databases;

const STEP_MS = 100;
const IDLE_SECONDS = 600;
const queries = { sent: 0, underWay: 0 };

test.before(async () => {
  countQueries();
  databases = await openDatabases({ durable: false });
});
test.after.always(() => databases?.close());

for (const { cell: id, ...budget } of BUDGETS) {
  test.serial(`${id} stays within ${budget.statements} statements a unit`, async (t) => {
    const measurement = await measure(id);
    for (const [name, atMost] of Object.entries(budget)) {
      const used = measurement[name as keyof typeof budget] ?? 0;
      t.log(`${name}: ${used.toFixed(3)} of ${atMost}`);
      t.true(used > 0, name);
      t.true(used <= atMost, `${used} ${name} a unit, not ${atMost}`);
    }
  });
}

test.serial('a cluster with nothing to do is quiet', async (t) => {
  const database = await databases.create('postgres');
  const timers = createVirtualTimers();
  const engines = await Promise.all(
    Array.from({ length: 4 }, () => openEngine({ database, variant: { timers } })),
  );
  const leaving = new AbortController();
  t.teardown(async () => {
    leaving.abort();
    await Promise.all(engines.map((engine) => engine.close()));
    await database.drop();
  });
  const [one, two, ...apis] = engines;
  for (const scheduler of [one, two]) scheduler?.startScheduler();
  for (const [index, api] of apis.entries()) {
    for (const worker of ['a', 'b']) {
      const isOver = (): boolean => leaving.signal.aborted;
      void inLanes(1, isOver, () => api.longPoll(`${worker}${index}`, leaving.signal));
    }
  }
  /** Advances the clock, and waits for the answers of all statements before each step. */
  const pass = async (seconds: number): Promise<void> => {
    for (let ms = 0; ms < seconds * 1_000; ms += STEP_MS) {
      await timers.advance(STEP_MS);
      await untilAnswered();
    }
  };
  await pass(60);
  const before = queries.sent;
  await pass(IDLE_SECONDS);
  const perSecond = (queries.sent - before) / IDLE_SECONDS;
  t.log(`${perSecond.toFixed(2)} statements a second`);
  t.true(perSecond > 0.5 && perSecond < IDLE_STATEMENTS_PER_SECOND, `${perSecond}`);
});

async function measure(id: string): Promise<Measurement> {
  const cell = cells.find((one) => one.id === id && one.subject === 'svc');
  if (cell === undefined) throw new Error(`there is no workload ${id}`);
  const database = await databases.create(cell.database);
  try {
    return await runCell({
      module: new URL(`../../bench/${cell.module}`, import.meta.url),
      database: { dialect: database.dialect, url: database.url },
      params: cell.params,
      seconds: SECONDS,
      secondsMax: SECONDS_MAX,
      round: 1,
      readServer: database.readServer,
    });
  } finally {
    await database.drop();
  }
}

/** Counts every statement of all stores. */
function countQueries(): void {
  type Query = (this: pg.Client, ...args: unknown[]) => unknown;
  const original = Reflect.get(pg.Client.prototype, 'query') as Query;
  pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]): unknown {
    const answer = original.call(this, ...args);
    queries.sent += 1;
    if (!(answer instanceof Promise)) return answer;
    queries.underWay += 1;
    const end = (): void => void (queries.underWay -= 1);
    answer.then(end, end);
    return answer;
  } as typeof pg.Client.prototype.query;
}

async function untilAnswered(): Promise<void> {
  do await setImmediate();
  while (queries.underWay > 0);
}
