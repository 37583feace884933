import { randomBytes } from 'node:crypto';

import { createIds } from '../../src/shared/clients/system-ids.ts';
import { DEFAULT_TENANT } from '../../src/shared/domain/ids.ts';
import { createEngine } from '../../src/shared/engine/create-engine.ts';
import { createWakeBus } from '../../src/shared/engine/wake-bus.ts';
import { endedTopic, runTopic } from '../../src/shared/engine/wake-for.ts';
import { createKindRegistry, NODE_KINDS } from '../../src/shared/nodes/index.ts';
import { openStore } from '../../src/shared/store/open.ts';
import { openSqliteStore } from '../../src/shared/store/sqlite/open.ts';
import { SHARD_COUNT } from '../../src/shared/store/store.ts';
import type { BenchDatabase, Dialect } from '../support/databases.ts';
import { summarise, type Measurement } from '../support/measurement.ts';
import { chainOf, noopKind, noopRunner } from '../support/noop-kind.ts';

const STEPS = 10;
const SHARDS = [...Array(SHARD_COUNT).keys()];

/**
 * Chains of in-engine nodes, each durably committed before the next begins: engine and client in
 * one process, the way the libraries of the field are measured.
 */
export async function runChain(params: {
  readonly dialect: Dialect;
  readonly database: BenchDatabase;
  readonly executions: number;
  readonly inFlight: number;
}): Promise<Measurement> {
  const { dialect, database, executions, inFlight } = params;
  let counted = 0;
  const store =
    dialect === 'sqlite'
      ? await openSqliteStore({ path: database.url, onStatement: () => (counted += 1) })
      : await openStore({
          database: { dialect, url: database.url, poolSize: 10, maxOverflow: 0 },
          applicationName: 'svc-bench',
        });
  const countStatements = async (): Promise<number> => (await database.statements()) ?? counted;
  const wake = createWakeBus();
  let commits = 0;
  const engine = createEngine({
    store,
    ids: createIds({ now: Date.now, randomBytes }),
    wake,
    cpu: {
      validateSchema: () => Promise.resolve([]),
      checkSchema: () => Promise.resolve([]),
      decide: () => Promise.reject(new Error('no state of this workload is large')),
    },
    settings: { leaseMs: 30_000, processId: 'bench', version: '0', host: 'localhost' },
    report: {
      count: (name, by) => {
        if (name === 'commits') commits += by;
      },
      observe: () => undefined,
      trouble: (what, error) => {
        throw new Error(what, { cause: error });
      },
    },
    kinds: createKindRegistry([...NODE_KINDS, noopKind]),
    runners: new Map([['noop', noopRunner]]),
  });
  const workflowId = 'chain';
  const by = { tenantId: DEFAULT_TENANT, actorId: 'token:bench' };
  const ir = { workflow_id: workflowId, ...chainOf(STEPS, 'noop') };
  await engine.registerWorkflow({ ...by, ir });

  const stop = turnLoops(engine.scheduling, wake);
  const oneExecution = async (): Promise<number> => {
    const began = performance.now();
    const { executionId } = await engine.startExecution({
      ...by,
      workflowId,
      workflowVersion: null,
      input: {},
      priority: 5,
      idempotencyKey: null,
    });
    await new Promise<void>((resolve) => {
      const end = wake.subscribe(endedTopic(executionId), () => {
        end();
        resolve();
      });
    });
    return performance.now() - began;
  };
  await inParallel(inFlight, inFlight * 4, oneExecution);
  const before = { commits, statements: await countStatements(), cpu: process.cpuUsage() };
  const began = performance.now();
  const latencies = await inParallel(inFlight, executions, oneExecution);
  const seconds = (performance.now() - began) / 1_000;
  const cpu = process.cpuUsage(before.cpu);
  const statements = await countStatements();
  await stop();
  await store.close();
  return summarise({
    units: executions * STEPS,
    seconds,
    latencies,
    cpuMicros: cpu.user + cpu.system,
    commits: commits - before.commits,
    statements: statements - before.statements,
  });
}

/** The scheduler's two loops that matter here: woken by hints, and looking by themselves. */
function turnLoops(
  scheduling: ReturnType<typeof createEngine>['scheduling'],
  wake: ReturnType<typeof createWakeBus>,
): () => Promise<void> {
  const stopping = new AbortController();
  let poke: () => void = () => undefined;
  for (const topic of ['queue:engine', ...SHARDS.map(runTopic)]) {
    wake.subscribe(topic, () => poke());
  }
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const poked = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50);
        poke = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      const { found } = await scheduling.runQueuedNodes({ shards: SHARDS, limit: 500 });
      if (found === 0) await poked;
    }
  })();
  return async () => {
    stopping.abort();
    poke();
    await running;
    await scheduling.drain({ deadlineMs: 1_000 });
  };
}

async function inParallel(
  width: number,
  count: number,
  task: () => Promise<number>,
): Promise<number[]> {
  const results: number[] = [];
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      results.push(await task());
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}
