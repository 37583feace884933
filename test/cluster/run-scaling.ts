import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import type { Started } from '../support/processes.ts';
import type { Runtime } from '../support/runtime.ts';
import { startBalancer } from '../upgrade/support/balancer.ts';
import { checkWhenEnded } from '../upgrade/support/checked.ts';
import { startRecordedLoad, type RecordedLoad } from '../upgrade/support/recorded-load.ts';
import { chain } from './chain.ts';
import { ClusterClient } from './client.ts';
import { Cluster } from './cluster.ts';

/*
 * Scales both roles up and down repeatedly under load, behind a balancer that probes readiness. An
 * added process takes its share of the work; a removed one gets SIGTERM and drains. The removed
 * process is the newer one in some rounds and the older one in others, because an orchestrator
 * picks any.
 */

/** Longer than a probe and its answer take, even on a busy machine. */
const DRAIN_DELAY = '2';
const TAKES_PART_MS_MAX = 60_000;

export interface ScalingRun {
  readonly rounds: number;
  readonly started: number;
  readonly completed: number;
  readonly requests: number;
  /** Answers with status 503 and `Retry-After`. */
  readonly refusals: number;
  readonly slowestMs: number;
  readonly violations: readonly string[];
}

interface Member<Process extends Started> {
  readonly process: Process;
  /** The port of its metrics. */
  readonly port: number;
}

export async function runScaling(params: {
  readonly url: string;
  /** Each round adds a process of each role, and removes one. */
  readonly rounds: number;
  /** How many executions start in each state. */
  readonly between: number;
  readonly onProgress: (line: string) => void;
}): Promise<ScalingRun> {
  const { url, rounds, between, onProgress } = params;
  const cluster = new Cluster(url, { env: { SVC_API_DRAIN_DELAY_SECONDS: DRAIN_DELAY } });
  const violations: string[] = [];
  try {
    let apis = [await addApi(cluster)];
    let schedulers = [await addScheduler(cluster)];
    const { apiKey } = cluster;
    const urls = () => apis.map(({ process }) => process.url);
    await new ClusterClient({ urls: urls(), apiKey }).register(chain);
    const balancer = startBalancer({ urls: urls(), apiKey });
    const load = startLoad({ pick: () => balancer.pick(), apiKey });
    const state = async (what: string): Promise<void> => {
      await moreStarted(load, between);
      onProgress(`${what}: ${load.started.size} started, ${load.completed} items completed`);
    };

    await state('one process of each role');
    for (let round = 0; round < rounds; round += 1) {
      apis = [...apis, await addApi(cluster)];
      balancer.setTargets(urls());
      await takesPart(apis.at(-1), /^svc_http_requests_total\{.*route="\/executions",.*\} [1-9]/m);
      schedulers = [...schedulers, await addScheduler(cluster)];
      await takesPart(schedulers.at(-1), /^svc_shards_held [1-9]/m);
      await state('two of each');
      const leaving = round % 2 === 0 ? 1 : 0;
      const [api, scheduler] = [apis[leaving], schedulers[leaving]];
      violations.push(...(await endsInOrder(api?.process)));
      apis = apis.filter((one) => one !== api);
      balancer.setTargets(urls());
      await state('an api has left');
      violations.push(...(await endsInOrder(scheduler?.process)));
      schedulers = schedulers.filter((one) => one !== scheduler);
      await takesPart(schedulers[0], /^svc_shards_held 64$/m);
      await state('a scheduler has left');
      violations.push(...(api?.process.errors() ?? []));
    }
    await load.endStarts();
    onProgress('all that was begun comes to its end');
    const { found, dump } = await checkWhenEnded({ url, history: load.history });
    await load.stop();
    await balancer.stop();
    violations.push(...apis.flatMap(({ process }) => process.errors()), ...load.failures, ...found);
    if (dump.executions.length !== load.started.size) {
      violations.push(`${load.started.size} were started, ${dump.executions.length} exist`);
    }
    return {
      rounds,
      started: load.started.size,
      completed: load.completed,
      requests: load.history.deeds.length,
      refusals: load.refusals,
      slowestMs: Math.round(load.latenciesMs.reduce((most, ms) => Math.max(most, ms), 0)),
      violations,
    };
  } finally {
    await cluster.stop();
  }
}

async function addApi(cluster: Cluster): Promise<Member<Runtime>> {
  const port = await freePort();
  const env = { SVC_TELEMETRY_METRICS_PORT: String(port) };
  return { process: await cluster.startApi({ env }), port };
}

async function addScheduler(cluster: Cluster): Promise<Member<Started>> {
  const port = await freePort();
  return { process: await cluster.startScheduler({ port }), port };
}

function startLoad(of: { readonly pick: () => string; readonly apiKey: string }): RecordedLoad {
  return startRecordedLoad({
    ...of,
    workflowId: 'chain',
    name: 'scaling',
    callers: 3,
    workers: 2,
    restMs: 100,
  });
}

async function moreStarted(load: RecordedLoad, count: number): Promise<void> {
  const enough = load.started.size + count;
  await eventually(
    () => {
      if (load.started.size < enough) throw new Error(`${load.started.size} are started`);
    },
    { withinMs: TAKES_PART_MS_MAX },
  );
}

/** Waits until the metrics of the process show that it has a share of the work. */
async function takesPart(member: Member<Started> | undefined, shown: RegExp): Promise<void> {
  await eventually(
    async () => {
      const response = await fetch(`http://127.0.0.1:${member?.port}/metrics`);
      if (!shown.test(await response.text())) throw new Error(`${shown} is not among its metrics`);
    },
    { withinMs: TAKES_PART_MS_MAX },
  );
}

async function endsInOrder(process: Started | undefined): Promise<readonly string[]> {
  const code = await process?.end('SIGTERM');
  return code === 0 ? [] : [`a process that was asked to leave ended with ${code}`];
}
