import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { chain } from '../cluster/chain.ts';
import { ClusterClient } from '../cluster/client.ts';
import { Cluster } from '../cluster/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { sendRequest } from '../support/http.ts';
import { sqlitePath } from '../support/stores.ts';
import { checkWhenEnded, readDump } from '../upgrade/support/checked.ts';
import { startRecordedLoad } from '../upgrade/support/recorded-load.ts';
import type { CrampedDatabase } from './databases.ts';

/*
 * The disk of a database fills up under load, stays full for a while, and has room again. Nothing
 * that the service has acknowledged is lost, clients learn what is full, and nobody restarts the
 * service.
 */

const WAIT_MS_MAX = 120_000;
/** A start needs new room soon; the checker reads every text. */
const PADDING = 'x'.repeat(2_000);

export interface Outcome {
  readonly name: string;
  readonly executions: number;
  readonly refusals: number;
  /** Refusals of starts that name the full disk. */
  readonly named: number;
  /** From the new room to the first acknowledged start. */
  readonly recoveredMs: number;
  /** Warnings and errors in the logs while the disk was full, by message. */
  readonly logged: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

export async function runDiskFull(
  database: CrampedDatabase,
  params: { readonly fullMs: number; readonly least: number },
): Promise<Outcome> {
  const { url, disk } = database;
  const isSqlite = url.startsWith('sqlite:');
  await migrateDatabase(isSqlite ? { dialect: 'sqlite', path: sqlitePath(url) } : { url });
  const cluster = new Cluster(url);
  try {
    const api = await cluster.startApi({ entry: isSqlite ? 'svc' : 'svc-api' });
    const processes = isSqlite ? [api] : [api, await cluster.startScheduler()];
    const { apiKey } = cluster;
    await new ClusterClient({ urls: [api.url], apiKey }).register(chain);
    const load = startRecordedLoad({
      pick: () => api.url,
      apiKey,
      workflowId: 'chain',
      name: 'full',
      callers: 3,
      workers: 2,
      restMs: 20,
      input: { padding: PADDING },
    });
    const more = async (): Promise<void> => {
      const enough = load.completed + params.least;
      await eventually(
        () => {
          if (load.completed < enough) throw new Error(`${load.completed} of ${enough} items`);
        },
        { withinMs: WAIT_MS_MAX },
      );
    };
    await more();

    disk.fill();
    await eventually(
      () => {
        if (load.refusals === 0) throw new Error('no request is refused');
      },
      { withinMs: WAIT_MS_MAX },
    );
    const before = processes.map((one) => one.stdout().length);
    await new Promise((resolve) => setTimeout(resolve, params.fullMs));
    const probe = { path: '/executions', token: apiKey };
    const read = await sendRequest(api.url, probe);
    const start = await sendRequest<{ readonly error: string; readonly code?: string }>(api.url, {
      ...probe,
      body: { workflow_id: 'chain', input: { token: 'probe', padding: PADDING } },
    });
    const logged = countLogged(processes.map((one, n) => one.stdout().slice(before[n])));

    const begun = performance.now();
    await database.recover();
    const startedBefore = load.started.size;
    await eventually(
      () => {
        if (load.started.size === startedBefore) throw new Error('no start is acknowledged');
      },
      { withinMs: WAIT_MS_MAX },
    );
    const recoveredMs = Math.round(performance.now() - begun);
    await more();
    await load.endStarts();
    // The check takes time, in which no request of the load should wait.
    await untilEnded(url);
    await load.stop();
    const { found, dump } = await checkWhenEnded({ url, history: load.history });
    return {
      name: database.name,
      executions: dump.executions.length,
      refusals: load.refusals,
      named: load.history.deeds.filter(({ answer }) => answer?.body['code'] === 'database_full')
        .length,
      recoveredMs,
      logged,
      violations: [
        ...found,
        ...load.failures,
        ...(database.stops || read.status === 200 ? [] : [`a read answers ${read.status}`]),
        ...(start.status === 503 && start.headers.has('Retry-After')
          ? []
          : [`a start on a full disk answers ${start.status}`]),
        ...(database.stops || start.body.code === 'database_full'
          ? []
          : [`a start on a full disk answers ${JSON.stringify(start.body)}`]),
      ],
    };
  } finally {
    await cluster.stop();
  }
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

function countLogged(outputs: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of outputs.flatMap((output) => output.split('\n'))) {
    const entry = readLine(line);
    if (entry === null || !['warn', 'error', 'fatal'].includes(entry.level)) continue;
    counts[entry.msg] = (counts[entry.msg] ?? 0) + 1;
  }
  return counts;
}

function readLine(line: string): { readonly level: string; readonly msg: string } | null {
  try {
    return JSON.parse(line) as { readonly level: string; readonly msg: string };
  } catch {
    return null;
  }
}
