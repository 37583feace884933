import { Writable } from 'node:stream';

import test, { type ExecutionContext } from 'ava';

import { openRuntime } from '../../src/index.ts';
import { routes } from '../../src/api/routes.ts';
import { createLogger } from '../../src/shared/telemetry/log.ts';
import { Line } from '../chaos/proxy/line.ts';
import { runOnServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { sendRequest } from '../support/http.ts';
import { freePort } from '../support/servers/ports.ts';
import { startPostgresServer, type PostgresServer } from '../support/servers/postgres-server.ts';
import { connectRaw } from '../shared/store/postgres/raw-client.ts';
import { startStandby } from '../support/servers/postgres-standby.ts';

const KEY = 'k9Qm2vX7pL4tR8wZ1nB6yH3c';
const LAG_SECONDS_MAX = 2;
const LISTS = routes.filter(({ readsMayLag }) => readsMayLag).map(({ path }) => path);
/** Far less than the time-out of statements. */
const SILENT_MS_MAX = 10_000;
const STALENESS = 'X-Svc-Read-Staleness-Ms';

test('lists come from a replica while it is near, and from the primary otherwise', async (t) => {
  const { primary, standby, line } = await startPair(t);
  const service = await openService(t, { primary, line });

  // Near: the standby answers.
  const first = await service.start();
  const near = await eventually(() => service.listFromReplica(first));
  t.true(near.stalenessMs <= LAG_SECONDS_MAX * 1_000);
  await eventually(async () => {
    await service.listFromReplica(first);
    if ((await countScans(standby)) === 0) throw new Error('the standby has read no list');
  });
  for (const path of LISTS) {
    await eventually(async () => {
      const query = path === '/work-items' ? '?status=dead_lettered' : '';
      const { status, stalenessMs } = await service.read(path + query);
      t.is(status, 200);
      if (stalenessMs === null) throw new Error(`the primary has answered ${path}`);
    });
  }
  for (const path of [
    `/executions/${first}`,
    `/executions/${first}/result`,
    '/workflows',
    '/tokens',
  ]) {
    const { status, stalenessMs } = await service.read(path);
    t.deepEqual({ status, stalenessMs }, { status: 200, stalenessMs: null }, path);
  }
  t.deepEqual(service.states(), ['used']);

  // Replay stops: a list may miss an execution for two seconds, and no longer; one execution never is.
  await runOnServer(standby.url, 'select pg_wal_replay_pause()');
  await eventually(async () => {
    const { rows } = await runOnServer(
      standby.url,
      'select pg_get_wal_replay_pause_state() as state',
    );
    if ((rows[0] as { readonly state: string }).state !== 'paused') throw new Error('it replays');
  });
  const second = await service.start();
  const startedAt = performance.now();
  t.is((await service.read(`/executions/${second}`)).status, 200);
  const asked = await service.read('/executions', { 'Cache-Control': 'no-cache' });
  t.true(asked.ids.includes(second), 'a caller may ask for what is fresh');
  t.is(asked.stalenessMs, null);
  await eventually(async () => {
    const { ids, stalenessMs } = await service.read('/executions');
    if (stalenessMs === null) return t.true(ids.includes(second));
    t.false(ids.includes(second), 'the replica has not replayed it');
    const ageMs = performance.now() - startedAt;
    t.true(ageMs < LAG_SECONDS_MAX * 1_000 + 500, `the list is ${ageMs} ms behind`);
    throw new Error('the replica still answers');
  });
  await eventually(async () => {
    t.true((await service.read('/executions')).ids.includes(second));
    if (service.states().at(-1) !== 'lagging') throw new Error('nothing says that it lags');
  });
  for (let call = 0; call < 20; call += 1) {
    const { ids, stalenessMs } = await service.read('/executions');
    t.true(ids.includes(second) && stalenessMs === null);
  }
  t.deepEqual(service.states(), ['used', 'lagging'], 'one line, not one for each request');
  t.true((await service.count('lagging')) >= 20);

  // Replay continues.
  await runOnServer(standby.url, 'select pg_wal_replay_resume()');
  await eventually(() => service.listFromReplica(second));

  // A conflict: the standby cancels the list.
  const locked = await holdTable(primary);
  const listings: Promise<Read>[] = [];
  await eventually(async () => {
    // One that the primary answers waits there.
    if (listings.length < 5) listings.push(service.read('/executions'));
    await findWaiting(standby);
  });
  await runOnServer(
    standby.url,
    `select pg_cancel_backend(pid) from pg_stat_activity where ${WAITING}`,
  );
  await locked.release();
  for (const { status, ids } of await Promise.all(listings)) {
    t.is(status, 200);
    t.true(ids.includes(second));
  }
  t.true((await service.count('conflict')) >= 1);
  await eventually(() => service.listFromReplica(second));

  // The standby falls silent: a list waits for seconds, and then has its answer.
  line.fallSilent();
  const silentAt = performance.now();
  const late = await service.read('/executions');
  t.is(late.status, 200);
  t.is(late.stalenessMs, null);
  t.true(performance.now() - silentAt < SILENT_MS_MAX);
  line.heal();
  await eventually(() => service.listFromReplica(second));

  // The standby dies while lists are read: none fails.
  const load = service.keepListing();
  await load.reach(50);
  line.refuse();
  await standby.stop();
  await eventually(async () => {
    const { stalenessMs } = await service.read('/executions');
    if (stalenessMs !== null) throw new Error('a replica that is gone has answered');
  });
  await load.reach(load.answers.length + 50);
  await load.end();
  t.true(load.answers.every(({ status, ids }) => status === 200 && ids.includes(second)));
  t.is(service.states().at(-1), 'unreachable');

  // It comes back.
  const other = await startStandby(primary, { name: 'standby' });
  t.teardown(() => other.stop());
  line.heal();
  line.leadTo(Number(new URL(other.url).port));
  await eventually(() => service.listFromReplica(second));
  t.is(service.states().at(-1), 'used');
});

test('only lists may lag', (t) => {
  t.deepEqual(LISTS.toSorted(), [
    '/approvals',
    '/audit',
    '/executions',
    '/executions/counts',
    '/failures',
    '/failures/:id',
    '/leases',
    '/queues',
    '/work-items',
  ]);
  for (const { path, method, readsMayLag } of routes) if (readsMayLag) t.is(method, 'GET', path);
});

interface Read {
  readonly status: number;
  readonly ids: readonly string[];
  /** Null: the primary has answered. */
  readonly stalenessMs: number | null;
}

/** The service on a pair, with what it says of the replica. */
async function openService(
  t: ExecutionContext,
  { primary, line }: { readonly primary: PostgresServer; readonly line: Line },
) {
  const lines: { readonly replica?: string; readonly msg: string }[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _, done) {
      for (const text of chunk.toString().trim().split('\n')) lines.push(JSON.parse(text));
      done();
    },
  });
  const replica = new URL(primary.url);
  replica.port = String(line.port);
  const metricsPort = await freePort();
  const runtime = await openRuntime({
    database: primary.url,
    listen: { port: 0 },
    settings: {
      'auth.api_key': KEY,
      'database.read_url': replica.href,
      'database.read_lag_seconds_max': LAG_SECONDS_MAX,
      'telemetry.metrics_port': metricsPort,
    },
    ports: {
      log: createLogger({
        level: 'info',
        format: 'json',
        redactState: true,
        base: {},
        destination,
      }),
    },
  });
  t.teardown(() => runtime.stop());
  const url = runtime.url ?? '';
  const post = <Body>(path: string, body: object) =>
    sendRequest<Body>(url, { path, body, token: KEY });
  await post('/workflows', {
    ir: { workflow_id: 'hello', nodes: { greet: { kind: { type: 'pass' } } } },
  });

  async function read(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Read> {
    const reply = await sendRequest<{ readonly executions?: readonly { execution_id: string }[] }>(
      url,
      { path, token: KEY, headers },
    );
    const staleness = reply.headers.get(STALENESS);
    return {
      status: reply.status,
      ids: (reply.body.executions ?? []).map(({ execution_id: id }) => id),
      stalenessMs: staleness === null ? null : Number(staleness),
    };
  }

  return {
    read,
    async start(): Promise<string> {
      const { body } = await post<{ readonly execution_id: string }>('/executions', {
        workflow_id: 'hello',
        input: {},
      });
      return body.execution_id;
    },
    async listFromReplica(id: string) {
      const { ids, stalenessMs } = await read('/executions');
      if (stalenessMs === null || !ids.includes(id)) throw new Error('the primary has answered');
      return { stalenessMs };
    },
    keepListing() {
      const ending = new AbortController();
      const { signal } = ending;
      const answers: Read[] = [];
      const listing = Array.from({ length: 4 }, async () => {
        while (!signal.aborted) answers.push(await read('/executions'));
      });
      return {
        answers,
        reach: (count: number) =>
          eventually(() => {
            if (answers.length < count) throw new Error(`only ${answers.length} answers`);
          }),
        async end() {
          ending.abort();
          await Promise.all(listing);
        },
      };
    },
    states: () =>
      lines.flatMap(({ msg, replica: state = 'used' }) =>
        msg.startsWith('lists are read from') ? [state] : [],
      ),
    async count(outcome: string): Promise<number> {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const [, value = '0'] =
        new RegExp(`^svc_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text) ??
        [];
      return Number(value);
    },
  };
}

async function startPair(t: ExecutionContext) {
  const primary = await startPostgresServer();
  t.teardown(() => primary.stop());
  const standby = await startStandby(primary, { name: 'standby' });
  t.teardown(() => standby.stop());
  const line = await Line.open({
    name: 'service→replica',
    protocol: 'postgres',
    targetPort: Number(new URL(standby.url).port),
  });
  t.teardown(() => line.close());
  return { primary, standby, line };
}

/** A server reports its scans with a delay. */
async function countScans({ url }: PostgresServer): Promise<number> {
  const { rows } = await runOnServer(
    url,
    `select (seq_scan + idx_scan)::int4 as scans from pg_stat_user_tables where relname = 'executions'`,
  );
  return (rows[0] as { readonly scans: number }).scans;
}

const WAITING = `application_name = 'svc-all-replica' and wait_event_type = 'Lock'`;

async function findWaiting({ url }: PostgresServer): Promise<void> {
  const { rowCount } = await runOnServer(url, `select from pg_stat_activity where ${WAITING}`);
  if (rowCount === 0) throw new Error('nothing waits');
}

/** Locks the list on both servers: the standby replays the lock. */
async function holdTable({ url }: PostgresServer) {
  const client = await connectRaw(url);
  await client.query('begin');
  await client.query('lock table executions in access exclusive mode');
  await client.query('select pg_switch_wal()');
  return {
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}
