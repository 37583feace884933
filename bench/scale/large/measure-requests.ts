import { setTimeout as rest } from 'node:timers/promises';
import type pg from 'pg';

import { quantile } from '../../support/statistics.ts';
import type { Call } from './templates.ts';

export interface Asked {
  readonly what: string;
  /** The path of each request; varied, so that not one page alone is read again and again. */
  readonly path: (index: number) => string;
}

export interface Answered {
  readonly what: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Processor time of the API and the database for one request. */
  readonly cpuMs: number;
  /** Rows that the server read for one request, through indexes or not. */
  readonly rowsRead: number;
  /** Tables that a request walked over, of those with more than `LARGE` rows. */
  readonly walked: readonly string[];
}

const WARM_UP = 5;
const LARGE = 10_000;
/** Backends report what they have read with the first statement after a second. */
const REPORT_MS = 1_100;

/** One request at a time, as somebody sees them who has the service to himself. */
export async function measureRequests(given: {
  readonly call: Call;
  readonly reader: pg.Client;
  readonly asked: readonly Asked[];
  readonly times: number;
  /** Used by the API and the database so far, µs. */
  readonly cpuMicros: () => Promise<number>;
}): Promise<readonly Answered[]> {
  const { call, reader, asked, times, cpuMicros } = given;
  const answered: Answered[] = [];
  for (const { what, path } of asked) {
    const before = await readTables(reader);
    const cpuBefore = await cpuMicros();
    for (let index = 0; index < WARM_UP; index += 1) await ask(call, path(index));
    const took: number[] = [];
    for (let index = 0; index < times; index += 1) {
      const began = performance.now();
      await ask(call, path(index));
      took.push(performance.now() - began);
    }
    await rest(REPORT_MS);
    await ask(call, path(0));
    const cpuMs = ((await cpuMicros()) - cpuBefore) / 1_000 / (WARM_UP + times + 1);
    const after = await readTables(reader);
    const sorted = took.toSorted((one, other) => one - other);
    answered.push({
      what,
      p50Ms: quantile(sorted, 0.5),
      p95Ms: quantile(sorted, 0.95),
      cpuMs,
      rowsRead: sum(after, before, ({ reads }) => reads) / (WARM_UP + times + 1),
      walked: [...after]
        .filter(([name, { walks, rows }]) => rows > LARGE && walks > (before.get(name)?.walks ?? 0))
        .map(([name]) => name),
    });
  }
  return answered;
}

async function ask(call: Call, path: string): Promise<void> {
  const { status } = await call('GET', path);
  if (status !== 200) throw new Error(`${path} is answered with ${status}`);
}

interface TableUse {
  readonly rows: number;
  readonly reads: number;
  readonly walks: number;
}

async function readTables(reader: pg.Client): Promise<ReadonlyMap<string, TableUse>> {
  await reader.query('select pg_stat_clear_snapshot()');
  const { rows } = await reader.query<TableUse & { readonly name: string }>(
    `select t.relname as name, t.n_live_tup::float8 as rows, t.seq_scan::float8 as walks,
       (coalesce(t.seq_tup_read, 0) + coalesce(sum(i.idx_tup_read), 0))::float8 as reads
     from pg_stat_user_tables t
     left join pg_stat_user_indexes i on i.relid = t.relid
     group by t.relid, t.relname, t.n_live_tup, t.seq_scan, t.seq_tup_read`,
  );
  return new Map(rows.map(({ name, ...use }) => [name, use]));
}

function sum(
  after: ReadonlyMap<string, TableUse>,
  before: ReadonlyMap<string, TableUse>,
  pick: (use: TableUse) => number,
): number {
  let total = 0;
  for (const [name, use] of after) total += pick(use) - pick(before.get(name) ?? NONE);
  return total;
}

const NONE: TableUse = { rows: 0, reads: 0, walks: 0 };
