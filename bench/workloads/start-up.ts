import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../test/support/servers/ports.ts';
import { pollUntil } from '../support/poll-until.ts';
import { spread } from '../support/statistics.ts';
import type { GivenWorkload } from '../support/workload.ts';

const SVC = new URL('../../bin/svc.js', import.meta.url).pathname;
const TIMES = 5;
const READY_MS_MAX = 20_000;

/** The times that a person waits for: `svc version`, and `svc dev` until it answers a request. */
export async function measure({ window }: GivenWorkload<unknown>): Promise<void> {
  await window(async () => {
    const versions: number[] = [];
    const devs: number[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      versions.push(await timeVersion());
      devs.push(await timeDev());
    }
    return {
      units: TIMES,
      executions: 0,
      p50Ms: 0,
      p99Ms: 0,
      rssMiB: null,
      extra: {
        version_ms: spread(versions)?.median ?? 0,
        dev_ready_ms: spread(devs)?.median ?? 0,
      },
    };
  });
}

async function timeVersion(): Promise<number> {
  const began = performance.now();
  const svc = spawn(process.execPath, [SVC, 'version'], { stdio: 'ignore' });
  const [code] = await once(svc, 'exit');
  if (code !== 0) throw new Error(`svc version ended with ${code}`);
  return performance.now() - began;
}

/** Starts on a database that does not exist yet. */
async function timeDev(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-dev-'));
  const port = await freePort();
  const began = performance.now();
  const args = [SVC, 'dev', '--port', String(port)];
  const env = { ...process.env, SVC_TELEMETRY_METRICS_PORT: 'off' };
  const svc = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
  try {
    const isReady = (): Promise<boolean> => {
      if (svc.exitCode !== null) throw new Error(`svc dev ended with ${svc.exitCode}`);
      return answers(port);
    };
    await pollUntil(isReady, { what: 'svc dev is ready', everyMs: 5, withinMs: READY_MS_MAX });
    return performance.now() - began;
  } finally {
    svc.kill('SIGTERM');
    if (svc.exitCode === null && svc.signalCode === null) await once(svc, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
}
