import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../test/support/servers/ports.ts';
import { layOutPackage } from '../support/lay-out-package.ts';
import { pollUntil } from '../support/poll-until.ts';
import { spread } from '../support/statistics.ts';
import type { GivenWorkload } from '../support/workload.ts';

const SVC = new URL('../../bin/svc.js', import.meta.url).pathname;
const TIMES = 10;
const READY_MS_MAX = 20_000;

export interface StartUpParams {
  /** The build of the clone is up to date: the runner makes it. */
  readonly from: 'sources' | 'clone' | 'package';
}

/**
 * The times that a person waits for: `svc version`, and `svc dev` until it answers a request, both as multiples
 * of the time that Node takes to do nothing. The three take turns, so that each ratio is of one mood
 * of the machine.
 */
export async function measure({ window, params }: GivenWorkload<StartUpParams>): Promise<void> {
  using laidOut = params.from === 'package' ? layOutPackage() : null;
  // The condition keeps the launcher from the build.
  const sources = params.from === 'sources' ? ['--conditions=svc-source'] : [];
  const svc = [...sources, laidOut?.svc ?? SVC];
  // Fills the cache of compiled code, which every start but the first finds.
  await timeRun([...svc, 'version']);
  await timeDev(svc);
  await window(async () => {
    const times: { readonly node: number; readonly version: number; readonly dev: number }[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      times.push({
        node: await timeRun(['-e', '0']),
        version: await timeRun([...svc, 'version']),
        dev: await timeDev(svc),
      });
    }
    const median = (values: readonly number[]) => spread(values)?.median ?? 0;
    return {
      units: TIMES,
      executions: 0,
      p50Ms: 0,
      p99Ms: 0,
      rssMiB: null,
      extra: {
        version_ms: median(times.map(({ version }) => version)),
        dev_ready_ms: median(times.map(({ dev }) => dev)),
        version_to_node: median(times.map(({ version, node }) => version / node)),
        dev_to_node: median(times.map(({ dev, node }) => dev / node)),
      },
    };
  });
}

async function timeRun(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return performance.now() - began;
}

/** Starts on a database that does not exist yet. */
async function timeDev(entry: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-dev-'));
  const port = await freePort();
  const began = performance.now();
  const args = [...entry, 'dev', '--port', String(port)];
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
