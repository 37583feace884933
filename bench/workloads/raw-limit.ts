import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

import { after, createLatencies, inLanes } from '../support/lanes.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import { quantile } from '../support/statistics.ts';
import type { GivenWorkload, WindowFigures } from '../support/workload.ts';

export interface RawLimitParams {
  readonly connections: number;
  /** The steps of one transaction, each of a different execution. */
  readonly batch: number;
  /** Empty: `pg` in this process sends the statements. */
  readonly pgbench: string;
}

/*
 * The limit of the server: a step is the least that a durable engine could write for it, in one
 * prepared statement with its own transaction. It updates the execution's row and appends two
 * events, the end of a step and the start of the next. It has no lease, no key, no decision, and a
 * client without logic.
 */

const EXECUTIONS = 16_384;

const SCHEMA = `
  create table raw_executions (
    id int primary key, last_sequence int not null, updated_at timestamptz not null
  ) with (fillfactor = 50);
  create table raw_events (
    execution_id int not null, sequence int not null, kind text not null, node_id text,
    payload json not null, created_at timestamptz not null,
    primary key (execution_id, sequence)
  );
  insert into raw_executions select i, 0, now() from generate_series(0, ${EXECUTIONS - 1}) i;`;

/** $1 is the first execution; the others of a batch follow it. */
const step = (batch: number, first: string): string => `
  with moved as (
    update raw_executions
    set last_sequence = last_sequence + 2, updated_at = clock_timestamp()
    where ${batch === 1 ? `id = ${first}` : `id = any(array(select generate_series(${first}, ${first} + ${batch - 1})))`}
    returning id, last_sequence, updated_at
  )
  insert into raw_events
  select id, last_sequence - 1 + o, k, 'step0',
    '{"output":{},"state_patch":{},"visit":0,"attempt":0}', updated_at
  from moved
  cross join (values (0, 'NodeCompleted'), (1, 'NodeScheduled')) e (o, k);`;

export async function measure(given: GivenWorkload<RawLimitParams>): Promise<void> {
  const { database, params, seconds, window } = given;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(SCHEMA);
  await client.query('vacuum analyze');
  const run = params.pgbench === '' ? withPg : withPgbench;
  await run({ ...given, seconds: 1 });
  await window(() => run({ ...given, seconds }));
  await client.end();
}

type Run = Omit<GivenWorkload<RawLimitParams>, 'window'>;

async function withPgbench({ database, params, seconds }: Run): Promise<WindowFigures> {
  const { connections, batch, pgbench } = params;
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-raw-'));
  const script = join(folder, 'step.sql');
  // Each connection has separate executions, so none waits for a row lock.
  const own = Math.floor(EXECUTIONS / connections);
  writeFileSync(
    script,
    `\\set first :client_id * ${own} + random(0, ${own - batch})\n${oneLine(step(batch, ':first'))}\n`,
  );
  const cpuBefore = cpuMicrosOf('self', true) ?? 0;
  const url = new URL(database.url);
  const args = ['-n', '-M', 'prepared', '-f', script, '-c', String(connections)]
    .concat(['-j', '2', '-T', String(Math.max(1, Math.round(seconds)))])
    .concat(['--log', '--log-prefix', join(folder, 'times')])
    .concat(['-h', url.hostname, '-p', url.port, '-U', 'postgres', url.pathname.slice(1)]);
  const { stdout } = await promisify(execFile)(pgbench, args);
  const rate = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  const timesMs = readdirSync(folder)
    .filter((name) => name.startsWith('times'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => Number(line.split(' ')[2]) / 1_000)
    .toSorted((left, right) => left - right);
  rmSync(folder, { recursive: true });
  const otherCpuMicros = (cpuMicrosOf('self', true) ?? 0) - cpuBefore;
  return {
    units: timesMs.length * batch,
    executions: 0,
    seconds: timesMs.length / rate,
    p50Ms: quantile(timesMs, 0.5),
    p99Ms: quantile(timesMs, 0.99),
    otherCpuMicros,
    rssMiB: null,
  };
}

async function withPg({ database, params, seconds }: Run): Promise<WindowFigures> {
  const { connections, batch } = params;
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      return client;
    }),
  );
  const own = Math.floor(EXECUTIONS / connections);
  const text = step(batch, '$1::int');
  const latencies = createLatencies();
  await inLanes(connections, after(seconds), (lane) =>
    latencies.time(async () => {
      const first = lane * own + Math.floor(Math.random() * (own - batch + 1));
      await clients[lane]?.query({ name: 'step', text, values: [first] });
    }),
  );
  await Promise.all(clients.map((client) => client.end()));
  const units = latencies.all().length * batch;
  return { units, executions: 0, ...latencies.summary(), rssMiB: null };
}

/** pgbench expects each command on one line. */
function oneLine(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim();
}
