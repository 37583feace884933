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
  /** Pages of 8 KiB that the server read for one request: unlike the times, a busy machine reads no more. */
  readonly pages: number;
  /** Tables that a request walked over, of those with more than `LARGE` rows. */
  readonly walked: readonly string[];
}

/** Used by the API and the database so far. */
export interface Use {
  readonly cpuMicros: number;
  /** By statements of the database, without those of this measurement. */
  readonly pages: number;
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
  readonly readUse: () => Promise<Use>;
}): Promise<readonly Answered[]> {
  const { call, reader, asked, times, readUse } = given;
  const requests = WARM_UP + times + 1;
  const answered: Answered[] = [];
  for (const { what, path } of asked) {
    const before = await readTables(reader);
    const useBefore = await readUse();
    for (let index = 0; index < WARM_UP; index += 1) await ask(call, path(index));
    const took: number[] = [];
    for (let index = 0; index < times; index += 1) {
      const began = performance.now();
      await ask(call, path(index));
      took.push(performance.now() - began);
    }
    await rest(REPORT_MS);
    await ask(call, path(0));
    const use = await readUse();
    const after = await readTables(reader);
    const sorted = took.toSorted((one, other) => one - other);
    answered.push({
      what,
      p50Ms: quantile(sorted, 0.5),
      p95Ms: quantile(sorted, 0.95),
      cpuMs: (use.cpuMicros - useBefore.cpuMicros) / 1_000 / requests,
      rowsRead: sum(after, before, ({ reads }) => reads) / requests,
      pages: (use.pages - useBefore.pages) / requests,
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
