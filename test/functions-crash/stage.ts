import { fileURLToPath } from 'node:url';

import { Cluster } from '../cluster/cluster.ts';
import { createDice } from '../simulation/dice.ts';
import { eventually } from '../support/eventually.ts';
import { startProgram } from '../support/processes.ts';
import { freePort } from '../support/servers/ports.ts';
import { createAsk, type Ask } from './ask.ts';
import type { Calls } from './drive.ts';
import { Member } from './member.ts';
import { Nemesis } from './nemesis.ts';
import { startProxy } from './proxy.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import type { CrashParams } from './run-crashes.ts';

const WORKER = fileURLToPath(new URL('worker-process.ts', import.meta.url));
const WORKERS = 3;
const WORKER_CONCURRENCY = '10';
const LEASE_SECONDS = '2';

/** The runtime, its workers, the receiver, and the nemesis. */
export interface Stage {
  readonly ask: Ask;
  readonly calls: Calls;
  readonly receiver: Receiver;
  readonly nemesis: Nemesis;
  readonly members: readonly Member[];
  /** Problems of the processes themselves. */
  readonly troubles: readonly string[];
  close(): Promise<void>;
}

/** Resolves when everything is ready. */
export async function openStage(
  params: Pick<CrashParams, 'store' | 'databaseUrl' | 'seed' | 'patience'>,
): Promise<Stage> {
  const troubles: string[] = [];
  const onTrouble = (saw: string): void => void troubles.push(saw);
  const env = { SVC_SCHEDULER_LEASE_SECONDS: LEASE_SECONDS };
  const cluster = new Cluster(params.databaseUrl, { env });
  const port = await freePort();
  const runtime = await startRuntime({ cluster, port, onTrouble, store: params.store });
  const url = `http://127.0.0.1:${port}`;
  const heard = listen();
  const places: { nemesis: Nemesis | null } = { nemesis: null };
  const receiver = await startReceiver({
    strike: (call, given) => places.nemesis?.strikeCall(call, given) ?? false,
    onCall: ({ tag, id }) => heard.hear(`${tag} ${id}`),
  });
  const names = Array.from({ length: WORKERS }, (_, index) => `worker-${index + 1}`);
  const proxies = await Promise.all(
    names.map((name) =>
      startProxy(url, (verb) => places.nemesis?.choosePassage(name, verb) ?? PASS),
    ),
  );
  const workers = names.map((name, index) => {
    const env = {
      RUNTIME_URL: proxies[index]?.url ?? url,
      RUNTIME_TOKEN: cluster.apiKey,
      RECEIVER_URL: receiver.url,
      WORKER_NAME: name,
      WORKER_CONCURRENCY,
    };
    const start = () => startProgram({ entry: { path: WORKER }, args: [], env });
    return new Member({ name, start, onTrouble });
  });
  await Promise.all(workers.map((worker) => worker.start()));
  const ask = createAsk(url, cluster.apiKey);
  await eventually(async () => {
    const { status } = await ask({ path: '/workflows/crash' });
    if (status !== 200) throw new Error('no worker has registered its function');
  });
  const nemesis = new Nemesis({
    dice: createDice(`nemesis ${params.seed}`),
    workers,
    runtime,
    patience: params.patience,
  });
  places.nemesis = nemesis;
  const members = [...runtime, ...workers];
  return {
    ask,
    calls: { whenCalled: (tag, id) => heard.when(`${tag} ${id}`) },
    receiver,
    nemesis,
    members,
    troubles,
    close: async () => {
      nemesis.stop();
      await Promise.all(members.map((member) => member.close()));
      await Promise.all([...proxies, receiver].map((server) => server.close()));
    },
  };
}

const PASS = { way: 'pass', after: () => undefined } as const;

async function startRuntime(given: {
  readonly cluster: Cluster;
  readonly port: number;
  readonly store: CrashParams['store'];
  readonly onTrouble: (saw: string) => void;
}): Promise<readonly Member[]> {
  const { cluster, port, store, onTrouble } = given;
  const api = (entry: 'svc' | 'svc-api') =>
    new Member({ name: entry, onTrouble, start: () => cluster.startApi({ entry, port }) });
  const start = () => cluster.startScheduler();
  const members =
    store === 'sqlite'
      ? [api('svc')]
      : [api('svc-api'), new Member({ name: 'svc-scheduler', onTrouble, start })];
  await Promise.all(members.map((member) => member.start()));
  return members;
}

/** Lets callers wait until a name is heard for the first time. */
function listen(): { hear(what: string): void; when(what: string): Promise<void> } {
  const heard = new Set<string>();
  const waiting = new Map<string, (() => void)[]>();
  return {
    hear(what) {
      heard.add(what);
      for (const tell of waiting.get(what) ?? []) tell();
      waiting.delete(what);
    },
    when: (what) =>
      new Promise((resolve) => {
        if (heard.has(what)) resolve();
        else waiting.set(what, [...(waiting.get(what) ?? []), resolve]);
      }),
  };
}
