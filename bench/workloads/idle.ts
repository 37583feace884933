import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';

import { openEngine } from '../support/engine-process.ts';
import { inLanes, times } from '../support/lanes.ts';
import { pollUntil } from '../support/poll-until.ts';
import { cpuMicrosOf, peakRssMiB } from '../support/process-use.ts';
import { startRuntime, type RuntimeProcess } from '../support/runtime-process.ts';
import { openWorkerClient } from '../support/worker-client.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface IdleParams {
  readonly apis: number;
  readonly schedulers: number;
  /** Each asks for work again as soon as it gets an empty answer. */
  readonly longPolls: number;
  /** Executions that wait for a person. */
  readonly paused: number;
}

const STARTS_IN_FLIGHT = 512;
const CLAIM_MS_MAX = 20_000;
/** Processes count as quiet after ten seconds; from then on their pauses double. */
const SETTLE_SECONDS = 30;
/** Sealing runs with a delay: until it is done, the events of the starts keep the cluster busy. */
const SEALED_SECONDS_MAX = 300;
const NEWS_EVERY_MS = 10_000;

const APPROVAL = {
  start_node: 'ask',
  nodes: { ask: { kind: { type: 'human_approval', description: 'Go on?' } } },
};

/** An idle cluster: the statements that it sends and the processor time that it uses. */
export async function measure(given: GivenWorkload<IdleParams>): Promise<void> {
  const { database, params, seconds, window, progress } = given;
  if (params.paused > 0) {
    progress(`starting ${params.paused} executions that wait for a person`);
    await pauseSome(given);
  }
  const runtimes: RuntimeProcess[] = [];
  const clients: ReturnType<typeof openWorkerClient>[] = [];
  let over = false;
  const polling: Promise<void>[] = [];
  try {
    for (let one = 0; one < params.schedulers; one += 1) {
      runtimes.push(await startRuntime({ database, role: 'scheduler' }));
    }
    for (let one = 0; one < params.apis; one += 1) {
      const api = await startRuntime({ database, role: 'api' });
      runtimes.push(api);
      const client = openWorkerClient(api.url, params.longPolls);
      clients.push(client);
      const lanes = Math.ceil((params.longPolls - one) / params.apis);
      const polls = inLanes(
        lanes,
        () => over,
        async (lane) => void (await client.claim(`idle-${one}-${lane}`, CLAIM_MS_MAX)),
      );
      polling.push(polls.catch(failUnlessOver));
    }
    if (params.paused > 0) {
      progress('waiting until the audit log is sealed');
      const what = 'the audit log is sealed';
      const withinMs = SEALED_SECONDS_MAX * 1_000;
      await pollUntil(() => isSealed(database.url), { what, everyMs: 5_000, withinMs });
    }
    progress(`settling for ${SETTLE_SECONDS} s`);
    await rest(SETTLE_SECONDS * 1_000);
    await window(async () => {
      const cpu = (): number => runtimes.reduce((sum, { pid }) => sum + (cpuMicrosOf(pid) ?? 0), 0);
      const cpuBefore = cpu();
      const began = performance.now();
      const passed = (): number => (performance.now() - began) / 1_000;
      const news = setInterval(() => {
        const percent = (cpu() - cpuBefore) / passed() / 10_000;
        progress(`${Math.round(passed())} of ${seconds} s, ${percent.toFixed(2)} % of a core`);
      }, NEWS_EVERY_MS);
      await rest(seconds * 1_000);
      clearInterval(news);
      const used = cpu() - cpuBefore;
      const peaks = runtimes.map(({ pid }) => peakRssMiB(pid) ?? 0);
      return {
        units: passed(),
        executions: 0,
        p50Ms: 0,
        p99Ms: 0,
        otherCpuMicros: used,
        rssMiB: Math.max(...peaks),
        extra: {
          core_percent: used / passed() / 10_000,
          scheduler_rss_mib: Math.max(...peaks.slice(0, params.schedulers)),
          api_rss_mib: Math.max(...peaks.slice(params.schedulers)),
        },
      };
    });
  } finally {
    over = true;
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(runtimes.map((runtime) => runtime.stop()));
    await Promise.all(polling);
  }

  /** A pending request fails when its client closes. */
  function failUnlessOver(error: unknown): void {
    if (!over) throw error;
  }
}

async function isSealed(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ readonly sealed: boolean }>(
    `select max(covers_to) > (select max(created_at) from events) as sealed from audit_windows`,
  );
  await client.end();
  return rows[0]?.sealed === true;
}

async function pauseSome({ database, params }: GivenWorkload<IdleParams>): Promise<void> {
  const engine = await openEngine({ database });
  await engine.register('approval', APPROVAL);
  await inLanes(STARTS_IN_FLIGHT, times(params.paused), () => engine.start('approval'));
  await engine.close();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ readonly paused: string }>(
    `select count(*) as paused from executions where status = 'paused'`,
  );
  if (Number(rows[0]?.paused) !== params.paused) throw new Error(`${rows[0]?.paused} are paused`);
  await client.query('vacuum analyze');
  await client.end();
}
