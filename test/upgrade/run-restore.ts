import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { chain } from '../cluster/chain.ts';
import { ClusterClient } from '../cluster/client.ts';
import { Cluster } from '../cluster/cluster.ts';
import type { Deed } from '../invariants/history.ts';
import { runOnServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, TestTenant } from '../support/tenant.ts';
import { checkWhenEnded, forgotten, together } from './support/checked.ts';
import {
  makeFolder,
  runAsServer,
  runTool,
  startInstalled,
  type InstalledServer,
} from './support/installed-postgres.ts';
import { begin, check, lose, type LostTime } from './support/lost-time.ts';
import { startRecordedLoad, type RecordedLoad } from './support/recorded-load.ts';

/*
 * Follows the procedures of docs/operate/operations.md under load: a base backup with an archive of
 * the log, restored to a point in time, and a dump, restored into another database. Each restore
 * begins a new life of the service, whose fences must be higher than those of all earlier lives.
 */

/** Long enough for the requests on one side of the restored moment. */
const LEASE_SECONDS = '15';
const TICK = { workflow_id: 'tick', nodes: { done: {} } };

export interface Life {
  readonly name: string;
  readonly executions: number;
  readonly ticks: number;
  readonly lowestFence: number;
  readonly highestFence: number;
  readonly violations: readonly string[];
}

export async function runRestore(params: {
  readonly folder: string;
  readonly least: number;
  readonly onProgress: (line: string) => void;
}): Promise<readonly Life[]> {
  const { folder, least, onProgress } = params;
  const lives: Life[] = [];
  const earlier: Deed[] = [];
  const servers: InstalledServer[] = [];
  let [scene, target]: [LostTime | null, string] = [null, ''];
  const start = async (data: string): Promise<InstalledServer> => {
    const server = await startInstalled(data, join(folder, 'server.log'));
    servers.push(server);
    return server;
  };
  try {
    const archive = makeFolder(join(folder, 'archive'));
    const data = makeFolder(join(folder, 'data'));
    runTool('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
    configure(data, [
      'archive_mode = on',
      `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
    ]);
    const first = await start(data);
    await migrateDatabase({ url: first.url });
    const base = makeFolder(join(folder, 'base'));
    onProgress('the first life, with a base backup under load');
    lives.push(
      await live({ name: 'first', url: first.url, least, earlier }, async ({ svc, load, more }) => {
        runTool('pg_basebackup', ['-d', first.url, '-D', base, '-X', 'none', '-c', 'fast']);
        await more();
        scene = await begin(svc);
        // The restore keeps all changes that are acknowledged before the server tells the time.
        load.keepAnswers();
        const { rows } = await runOnServer(first.url, 'select clock_timestamp()::text as now');
        target = (rows[0] as { readonly now: string }).now;
        await lose(svc, scene);
        await more();
        await runOnServer(first.url, 'select pg_switch_wal()');
      }),
    );
    await first.stop();
    if (scene === null) throw new Error('the first life left nothing to look for');
    const left: LostTime = scene;

    const again = makeFolder(join(folder, 'restored'));
    runAsServer('cp', ['-a', `${base}/.`, again]);
    configure(again, [
      `restore_command = 'cp ${archive}/%f %p'`,
      `recovery_target_time = '${target}'`,
      `recovery_target_action = 'promote'`,
    ]);
    runAsServer('touch', [join(again, 'recovery.signal')]);
    const second = await start(again);
    onProgress(`restored to ${target}, with a dump under load`);
    const faults: string[] = [];
    const dump = join(makeFolder(join(folder, 'dump')), 'svc.dump');
    lives.push(
      await live({ name: 'point in time', url: second.url, least, earlier }, async (during) => {
        faults.push(...(await check(during.svc, { scene: left, url: second.url })));
        runTool('pg_dump', ['-d', second.url, '--format=custom', `--file=${dump}`]);
        await during.more();
      }),
    );

    await runOnServer(second.url, 'create database restored');
    const url = new URL(second.url);
    url.pathname = '/restored';
    runTool('pg_restore', ['--no-owner', '-d', url.href, dump]);
    onProgress('restored from the dump');
    lives.push(
      await live({ name: 'dump', url: url.href, least, earlier, isCopy: true }, async () => {}),
    );
    return lives.map((life, index) => ({
      ...life,
      violations: [
        ...life.violations,
        ...checkFences(lives.slice(0, index), life),
        ...(index === 1 ? faults : []),
      ],
    }));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

interface During {
  readonly svc: TestTenant;
  readonly load: {
    /** The next life keeps the effects of all requests that are answered by now. */
    keepAnswers(): void;
  };
  /** Waits until the workers have completed more items. */
  readonly more: () => Promise<void>;
}

/** Calls `during` under load. */
async function live(
  of: {
    readonly name: string;
    readonly url: string;
    readonly least: number;
    /** The deeds of earlier lives; this life adds its own. */
    readonly earlier: Deed[];
    readonly isCopy?: boolean;
  },
  during: (life: During) => Promise<void>,
): Promise<Life> {
  const { name, url, least, earlier, isCopy = false } = of;
  const cluster = new Cluster(url, { env: { SVC_SCHEDULER_LEASE_SECONDS: LEASE_SECONDS } });
  try {
    const api = await cluster.startApi();
    await cluster.startScheduler();
    const { apiKey } = cluster;
    const client = new ClusterClient({ urls: [api.url], apiKey });
    await client.register(chain);
    await client.register(TICK);
    const svc = new TestTenant({
      tenantId: 'default',
      request: (request) => api.request(request),
    });
    const tick = { name: 'tick', workflow_id: 'tick', every: '1s', overlap_policy: 'allow' };
    await svc.post('/schedules', tick);
    const load = startRecordedLoad({
      pick: () => api.url,
      apiKey,
      workflowId: 'chain',
      name,
      callers: 3,
      workers: 2,
      restMs: 30,
    });
    const more = async (): Promise<void> => {
      const enough = load.completed + least;
      await eventually(
        () => {
          if (load.completed < enough) throw new Error(`${load.completed} of ${enough}`);
        },
        { withinMs: 120_000 },
      );
    };
    await more();
    let kept: ReadonlySet<Deed> = new Set();
    const keepAnswers = (): void => {
      kept = new Set(load.history.deeds.filter(({ ended }) => ended !== null));
    };
    await during({ svc, load: { keepAnswers }, more });
    const pause = { method: 'PUT', path: '/schedules/tick', body: { paused: true } };
    expectStatus(await svc.send(pause), 200);
    await load.endStarts();
    const { found, dump } = await checkWhenEnded({
      url,
      history: together(earlier, load.history),
      isCopy,
    });
    earlier.push(...forgotten(load.history, kept));
    await load.stop();
    const { rows } = await runOnServer(url, TICKS);
    const { ticks, seconds } = rows[0] as { readonly ticks: number; readonly seconds: number };
    return {
      name,
      executions: dump.executions.length,
      ticks,
      ...fencesOf(load),
      violations: [
        ...found,
        ...load.failures,
        ...(ticks === seconds ? [] : [`${ticks} fires of ${seconds} seconds`]),
        ...(ticks > 0 ? [] : ['proves nothing: no schedule has fired']),
      ],
    };
  } finally {
    await cluster.stop();
  }
}

/** The id of an execution begins with the time of its fire. */
const TICKS = `
  select count(*)::int as ticks, count(distinct left(id::text, 13))::int as seconds
  from executions
  where workflow_id = 'tick'`;

function fencesOf({ history }: RecordedLoad): Pick<Life, 'lowestFence' | 'highestFence'> {
  const fences = history.deeds.flatMap(({ asks }) =>
    asks.do === 'complete' && asks.fence !== null ? [asks.fence] : [],
  );
  return { lowestFence: Math.min(...fences), highestFence: Math.max(...fences) };
}

function checkFences(before: readonly Life[], { lowestFence }: Life): readonly string[] {
  return before
    .filter(({ highestFence }) => highestFence >= lowestFence)
    .map(
      ({ name, highestFence }) =>
        `fence ${lowestFence} was given, ${highestFence} was given before in ${name}`,
    );
}

function configure(data: string, lines: readonly string[]): void {
  appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
}
