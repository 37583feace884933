import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';

import { freePort } from '../../test/support/ports.ts';
import type { BenchDatabase } from '../support/databases.ts';
import { summarise, type Measurement } from '../support/measurement.ts';

const API_KEY = 'bench-key-for-loopback-only';
const READY_MS_MAX = 20_000;

/**
 * Worker loops over HTTP against a real runtime process (both roles): claim, complete, again. Each
 * item is the one step of an execution of its own, and the runtime ends that execution meanwhile.
 */
export async function runWorkerLoop(params: {
  readonly database: BenchDatabase;
  readonly items: number;
  readonly loops: number;
}): Promise<Measurement> {
  const { database, items, loops } = params;
  const runtime = await startRuntime(database.url);
  const pool = new Pool(runtime.url, { connections: loops, pipelining: 1 });
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> => {
    const { statusCode, body: answer } = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = (await answer.json()) as Answer;
    if (statusCode >= 300)
      throw new Error(`${method} ${path}: ${statusCode} ${JSON.stringify(json)}`);
    return json;
  };
  try {
    const kind = { type: 'python_fn', module: 'bench', function: 'noop' };
    const ir = { workflow_id: 'loop', nodes: { only: { kind } }, edges: [] };
    await call('POST', '/workflows', { ir });
    await inLoops(loops, items, async () => {
      await call('POST', '/executions', { workflow_id: 'loop', input: {} });
      return 0;
    });
    const before = await database.statements();
    const began = performance.now();
    const cpuBefore = process.cpuUsage();
    const latencies = await inLoops(loops, items, async (loop) => {
      const start = performance.now();
      const { work_item: item } = await call('POST', '/work-items/claim', {
        worker_id: `bench-${loop}`,
        queue_types: ['python_tool'],
        wait_ms: 10_000,
      });
      if (item === undefined) throw new Error('the queue ran dry');
      await call('POST', `/work-items/${item.id}/complete`, {
        execution_id: item.execution_id,
        node_id: item.node_id,
        output: {},
        state_patch: {},
        lease_fence: item.lease_fence,
        idempotency_key: item.idempotency_key,
      });
      return performance.now() - start;
    });
    const seconds = (performance.now() - began) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    const statements = await database.statements();
    return summarise({
      units: items,
      seconds,
      latencies,
      cpuMicros: cpu.user + cpu.system,
      commits: null,
      statements: statements === null ? null : statements - (before ?? 0),
    });
  } finally {
    await pool.destroy();
    await runtime.stop();
  }
}

interface Answer {
  readonly work_item?: {
    readonly id: string;
    readonly execution_id: string;
    readonly node_id: string;
    readonly lease_fence: number;
    readonly idempotency_key: string;
  };
}

async function inLoops(
  width: number,
  count: number,
  task: (loop: number) => Promise<number>,
): Promise<number[]> {
  const results: number[] = [];
  let begun = 0;
  const lane = async (loop: number): Promise<void> => {
    while (begun < count) {
      begun += 1;
      results.push(await task(loop));
    }
  };
  await Promise.all(Array.from({ length: width }, (_, loop) => lane(loop)));
  return results;
}

async function startRuntime(
  databaseUrl: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-runtime-'));
  const entry = new URL('../../bin/svc.ts', import.meta.url).pathname;
  const runtime = spawn(process.execPath, [entry, 'serve', '--port', String(port)], {
    cwd: folder,
    env: {
      ...process.env,
      SVC_DATABASE_URL: databaseUrl,
      SVC_AUTH_API_KEY: API_KEY,
      SVC_TELEMETRY_METRICS_PORT: 'off',
      SVC_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(url, runtime);
  return {
    url,
    stop: async () => {
      runtime.kill('SIGTERM');
      if (runtime.exitCode === null) await once(runtime, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilHealthy(url: string, runtime: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  for (;;) {
    try {
      if ((await fetch(`${url}/health`)).ok) return;
    } catch (error) {
      if (runtime.exitCode !== null || performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
