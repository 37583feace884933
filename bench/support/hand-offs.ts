import { quantile } from './statistics.ts';

/** Times from the end of a node's work to the beginning of the next one's, of one execution at a time. */
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
