import { quantile } from './statistics.ts';

/**
 * Measures the time from the end of one node to the start of the next, for one execution at a time.
 */
export function createEngineWaits() {
  const waitsMs: number[] = [];
  let last: { readonly executionId: string; readonly atMs: number } | null = null;
  return {
    began(executionId: string): void {
      if (last?.executionId === executionId) waitsMs.push(performance.now() - last.atMs);
    },
    ended(executionId: string): void {
      last = { executionId, atMs: performance.now() };
    },
    reset(): void {
      waitsMs.length = 0;
    },
    summary(): Readonly<Record<string, number>> {
      if (waitsMs.length === 0) return {};
      const sorted = waitsMs.toSorted((left, right) => left - right);
      return { hand_off_p50_ms: quantile(sorted, 0.5), hand_off_p99_ms: quantile(sorted, 0.99) };
    },
  };
}

/** A step that a worker ran; the time comes from a clock that all processes share. */
export interface StepTime {
  readonly executionId: string;
  readonly atMs: number;
}

/** Records when a worker ran each step. A step does nothing, so it begins and ends at once. */
export function createStepTimes() {
  const times: StepTime[] = [];
  return {
    ran: (executionId: string): void => void times.push({ executionId, atMs: monotonicMs() }),
    take: (): readonly StepTime[] => times.splice(0),
  };
}

/** Times from the end of each step to the beginning of the next one of the same execution. */
export function summarizeHandOffs(times: readonly StepTime[]): Readonly<Record<string, number>> {
  const chains = Map.groupBy(times, ({ executionId }) => executionId);
  const waitsMs = [...chains.values()].flatMap((chain) => {
    const sorted = chain.map(({ atMs }) => atMs).toSorted((left, right) => left - right);
    return sorted.slice(1).map((atMs, index) => atMs - (sorted[index] ?? 0));
  });
  if (waitsMs.length === 0) return {};
  const sorted = waitsMs.toSorted((left, right) => left - right);
  return { next_step_p50_ms: quantile(sorted, 0.5), next_step_p99_ms: quantile(sorted, 0.99) };
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
