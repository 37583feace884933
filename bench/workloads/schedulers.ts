import { fork } from 'node:child_process';
import { once } from 'node:events';

import { SERVER_OPTIONS } from '../../bin/launch/launch.js';
import { openEngine } from '../support/engine-process.ts';
import { inLanes, times } from '../support/lanes.ts';
import { chainOf } from '../support/noop-kind.ts';
import { cpuMicrosOf, peakRssMiB } from '../support/process-use.ts';
import type { SchedulerMessage } from '../support/scheduler-process.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface SchedulersParams {
  readonly schedulers: number;
  /** Each has ten steps. */
  readonly executionsPerSecond: number;
}

const STEPS = 10;
const STARTS_IN_FLIGHT = 512;
const SCHEDULER = new URL('../support/scheduler-process.ts', import.meta.url);

/** Several scheduler processes share the shards and drain a backlog of chains. */
export async function measure(given: GivenWorkload<SchedulersParams>): Promise<void> {
  const { database, params, seconds, window } = given;
  const executions = Math.ceil(params.executionsPerSecond * seconds);
  const engine = await openEngine({ database });
  await engine.register('bench', chainOf(STEPS, 'noop'));
  await inLanes(STARTS_IN_FLIGHT, times(executions), () => engine.start('bench'));
  const children = await Promise.all(
    Array.from({ length: params.schedulers }, async () => {
      const child = fork(SCHEDULER, [JSON.stringify(database)], {
        execArgv: SERVER_OPTIONS,
        stdio: 'inherit',
      });
      await once(child, 'message');
      return child;
    }),
  );
  const pids = children.flatMap(({ pid }) => pid ?? []);
  const told = new Map<number, { readonly ended: number; readonly refused: number }>();
  const total = (of: 'ended' | 'refused'): number =>
    [...told.values()].reduce((sum, counts) => sum + counts[of], 0);
  const drained = Promise.withResolvers<void>();
  children.forEach((child, index) => {
    child.on('message', (message: SchedulerMessage) => {
      if (message.type === 'ended') told.set(index, message);
      if (total('ended') >= executions) drained.resolve();
    });
    child.once('exit', () => drained.reject(new Error('a scheduler has ended')));
  });
  await window(async () => {
    const cpu = (): number => pids.reduce((sum, pid) => sum + (cpuMicrosOf(pid) ?? 0), 0);
    const cpuBefore = cpu();
    for (const child of children) child.send({ type: 'begin' });
    await drained.promise;
    const rss = pids.map((pid) => peakRssMiB(pid)).filter((mib) => mib !== null);
    const shares = [...told.values()].map(({ ended }) => ended / executions);
    return {
      units: executions * STEPS,
      executions,
      p50Ms: 0,
      p99Ms: 0,
      otherCpuMicros: cpu() - cpuBefore,
      rssMiB: rss.length === 0 ? null : Math.max(...rss),
      extra: { commit_refusals: total('refused'), smallest_share: Math.min(...shares) },
    };
  });
  for (const child of children) child.disconnect();
  await engine.close();
}
