import { writeFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';

import type { BenchDatabase } from '../../support/databases.ts';
import { cpuMicrosOf, peakRssMiB, rssMiB } from '../../support/process-use.ts';
import type { RuntimeProcess } from '../../support/runtime-process.ts';
import { quantile } from '../../support/statistics.ts';

/** The use of one long piece of work, and the waits of others meanwhile. */
export interface WatchedUse<Result> {
  readonly result: Result;
  readonly ms: number;
  readonly statements: number;
  readonly apiCpuMs: number;
  readonly databaseCpuMs: number;
  /** Memory of the process above what it held before. */
  readonly memoryMiB: number;
  /** Requests of somebody else at the same process, one every `PROBE_MS`. */
  readonly othersP95Ms: number;
  readonly othersMaxMs: number;
}

const PROBE_MS = 20;

export async function watchUse<Result>(
  { runtime, database }: { readonly runtime: RuntimeProcess; readonly database: BenchDatabase },
  work: () => Promise<Result>,
): Promise<WatchedUse<Result>> {
  forgetPeak(runtime.pid);
  const memoryBefore = rssMiB(runtime.pid) ?? 0;
  const before = await database.readServer?.();
  const cpuBefore = cpuMicrosOf(runtime.pid) ?? 0;
  const probe = startProbe(runtime.url);
  const began = performance.now();
  const result = await work();
  const ms = performance.now() - began;
  const probed = await probe.end();
  const after = await database.readServer?.();
  return {
    result,
    ms,
    statements: (after?.statements ?? 0) - (before?.statements ?? 0),
    apiCpuMs: ((cpuMicrosOf(runtime.pid) ?? 0) - cpuBefore) / 1_000,
    databaseCpuMs: ((after?.cpuMicros ?? 0) - (before?.cpuMicros ?? 0)) / 1_000,
    memoryMiB: (peakRssMiB(runtime.pid) ?? 0) - memoryBefore,
    othersP95Ms: quantile(probed, 0.95),
    othersMaxMs: probed.at(-1) ?? 0,
  };
}

/** Linux counts the peak of a process from here on. */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Asks for the health, which needs nothing but the process's thread. */
function startProbe(url: string) {
  const took: number[] = [];
  const ending = new AbortController();
  const probing = probe(url, took, ending.signal);
  return {
    async end(): Promise<readonly number[]> {
      ending.abort();
      await probing;
      return took.toSorted((one, other) => one - other);
    },
  };
}

async function probe(url: string, took: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now();
    await (await fetch(`${url}/health`)).arrayBuffer();
    took.push(performance.now() - began);
    await rest(PROBE_MS);
  }
}
