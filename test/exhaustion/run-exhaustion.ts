import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { chain } from '../cluster/chain.ts';
import { ClusterClient } from '../cluster/client.ts';
import { Cluster } from '../cluster/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { sendRequest } from '../support/http.ts';
import { sqlitePath } from '../support/stores.ts';
import { checkWhenEnded, readDump } from '../upgrade/support/checked.ts';
import { startRecordedLoad } from '../upgrade/support/recorded-load.ts';
import type { Cramped } from './databases.ts';
import { countLogged } from './log-lines.ts';
import { superviseService } from './supervise-service.ts';

/*
 * A disk or memory runs out under load, stays away for a while, and comes back. Nothing that
 * the service has acknowledged is lost, clients learn what is missing, and nobody restarts the
 * service, unless it was the service that got no memory.
 */

const WAIT_MS_MAX = 120_000;

export interface Outcome {
  readonly name: string;
  readonly executions: number;
  readonly refusals: number;
  /** Refusals that name what has run out. */
  readonly named: number;
  /** How often the service ended. */
  readonly ends: number;
  /** From the end of the shortage to the first acknowledged start. */
  readonly recoveredMs: number;
  /** Warnings and errors in the logs meanwhile, by message. */
  readonly logged: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

export async function runExhaustion(
  database: Cramped,
  params: { readonly lastsMs: number; readonly least: number },
): Promise<Outcome> {
  const { url, code, ends } = database;
  const isSqlite = url.startsWith('sqlite:');
  await migrateDatabase(isSqlite ? { dialect: 'sqlite', path: sqlitePath(url) } : { url });
  const cluster = new Cluster(url);
  try {
    const service = await superviseService(cluster, { entry: isSqlite ? 'svc' : 'svc-api' });
    const scheduler = isSqlite ? [] : [await cluster.startScheduler()];
    const { apiKey } = cluster;
    await new ClusterClient({ urls: [service.url], apiKey }).register(chain);
    const padding = 'x'.repeat(database.inputBytes);
    const load = startRecordedLoad({
      pick: () => service.url,
      apiKey,
      workflowId: 'chain',
      name: 'full',
      callers: 3,
      workers: 2,
      restMs: 20,
      input: { padding },
      mayGoUnanswered: ends === 'service',
    });
    const more = (): Promise<void> => {
      const enough = load.completed + params.least;
      return until(() => load.completed >= enough, `${enough} items are not completed`);
    };
    await more();

    service.onStart((pids) => database.exhaust(pids));
    await until(() => load.refusals + service.ends > 0, 'no request is refused');
    const outputs = () => [service.stdout(), ...scheduler.map((one) => one.stdout())];
    const before = outputs().map((output) => output.length);
    await new Promise((resolve) => setTimeout(resolve, params.lastsMs));
    const probes = ends === 'service' ? [] : await probe(database, { service, apiKey, padding });
    const logged = countLogged(outputs().map((output, n) => output.slice(before[n])));

    const begun = performance.now();
    service.onStart(() => undefined);
    await database.recover();
    const startedBefore = load.started.size;
    await until(() => load.started.size > startedBefore, 'no start is acknowledged');
    const recoveredMs = Math.round(performance.now() - begun);
    await more();
    await load.endStarts();
    // The check takes time, in which no request of the load should wait.
    await untilEnded(url);
    await load.stop();
    await service.release();
    const { found, dump } = await checkWhenEnded({ url, history: load.history });
    return {
      name: database.name,
      executions: dump.executions.length,
      refusals: load.refusals,
      named: load.history.deeds.filter(({ answer }) => answer?.body['code'] === code).length,
      ends: service.ends,
      recoveredMs,
      logged,
      violations: [
        ...found,
        ...load.failures,
        ...probes,
        ...(ends === 'service' || service.ends === 0
          ? []
          : [`the service ended ${service.ends} ×`]),
      ],
    };
  } finally {
    await cluster.stop();
  }
}

/** A read and a start during the shortage; returns the answers that they should not get. */
async function probe(
  { code, readsContinue }: Cramped,
  to: {
    readonly service: { readonly url: string };
    readonly apiKey: string;
    readonly padding: string;
  },
): Promise<readonly string[]> {
  const request = { path: '/executions', token: to.apiKey };
  const read = await sendRequest(to.service.url, request);
  const start = await sendRequest<{ readonly code?: string }>(to.service.url, {
    ...request,
    body: { workflow_id: 'chain', input: { token: 'probe', padding: to.padding } },
  });
  const isRefused = start.status === 503 && start.headers.has('Retry-After');
  return [
    ...(readsContinue && read.status !== 200 ? [`a read answers ${read.status}`] : []),
    ...(isRefused ? [] : [`a start answers ${start.status}`]),
    ...(code === null || start.body.code === code
      ? []
      : [`a start answers ${JSON.stringify(start.body)}`]),
  ];
}

function until(isSo: () => boolean, otherwise: string): Promise<void> {
  return eventually(
    async () => {
      if (!isSo()) throw new Error(otherwise);
    },
    { withinMs: WAIT_MS_MAX },
  );
}

function untilEnded(url: string): Promise<void> {
  return eventually(
    async () => {
      const { executions } = await readDump(url);
      const running = executions.filter(({ status }) => status === 'running').length;
      if (running > 0) throw new Error(`${running} executions are running`);
    },
    { withinMs: WAIT_MS_MAX },
  );
}
