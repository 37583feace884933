import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../test/support/servers/ports.ts';
import { pollUntil } from './poll-until.ts';
import type { BenchAddress } from './workload.ts';

export const API_KEY = 'bench-key-for-loopback-only';
const READY_MS_MAX = 30_000;
const THIS_CHECKOUT = new URL('../../', import.meta.url).pathname;

export interface RuntimeProcess {
  /** Its base URL; nothing listens there when a scheduler runs without an API. */
  readonly url: string;
  /** Its own listener for metrics and readiness; nothing listens there when it serves the API. */
  readonly metricsUrl: string;
  readonly pid: number;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a process of the product as an installation starts it. */
export async function startRuntime(given: {
  readonly database: BenchAddress;
  readonly role?: 'all' | 'api' | 'scheduler';
  /** The folder of another checkout; absent: this one. */
  readonly checkout?: string;
  /** Options of Node; with some, the process has an IPC channel. */
  readonly nodeOptions?: readonly string[];
  /** Further settings, as environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
}): Promise<RuntimeProcess> {
  const { database, role = 'all', settings = {} } = given;
  const { checkout = THIS_CHECKOUT, nodeOptions = [] } = given;
  const [port, metricsPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-runtime-'));
  const entry = join(checkout, 'bin/svc.js');
  const args = ['serve', '--role', role, ...(role === 'scheduler' ? [] : ['--port', String(port)])];
  const runtime = spawn(process.execPath, [...nodeOptions, entry, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      SVC_DATABASE_URL: database.url,
      SVC_AUTH_API_KEY: API_KEY,
      SVC_TELEMETRY_METRICS_PORT: String(metricsPort),
      SVC_LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit', ...(nodeOptions.length > 0 ? ['ipc' as const] : [])],
  });
  const url = `http://127.0.0.1:${port}`;
  const metricsUrl = `http://127.0.0.1:${metricsPort}`;
  await untilReady(role === 'scheduler' ? metricsUrl : url, runtime);
  return {
    url,
    metricsUrl,
    pid: runtime.pid ?? 0,
    process: runtime,
    stop: async () => {
      runtime.kill('SIGTERM');
      if (runtime.exitCode === null && runtime.signalCode === null) await once(runtime, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts one process per role, one after the other. */
export async function startRuntimes(
  database: BenchAddress,
  roles: readonly ('all' | 'api' | 'scheduler')[],
): Promise<readonly RuntimeProcess[]> {
  const runtimes: RuntimeProcess[] = [];
  for (const role of roles) runtimes.push(await startRuntime({ database, role }));
  return runtimes;
}

async function untilReady(url: string, runtime: ChildProcess): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}` };
  const isReady = async (): Promise<boolean> => {
    if (runtime.exitCode !== null) throw new Error(`the runtime ended with ${runtime.exitCode}`);
    const answer = await fetch(`${url}/ready`, { headers }).catch(() => null);
    return answer?.status === 200;
  };
  try {
    const what = 'the runtime is ready';
    await pollUntil(isReady, { what, everyMs: 25, withinMs: READY_MS_MAX });
  } catch (error) {
    runtime.kill('SIGKILL');
    throw error;
  }
}
