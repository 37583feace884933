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

/** A work item that a worker had; the times come from a clock that all processes share. */
export interface ItemTime {
  readonly executionId: string;
  readonly claimedMs: number;
  readonly completedMs: number;
}

/** Records when a worker got each item, and when it got the answer to the completion. */
export function createItemTimes() {
  const claims = new Map<string, Pick<ItemTime, 'executionId' | 'claimedMs'>>();
  const times: ItemTime[] = [];
  return {
    claimed(workItemId: string, executionId: string): void {
      claims.set(workItemId, { executionId, claimedMs: monotonicMs() });
    },
    /** Wraps the worker's `fetch`. */
    watch(send: typeof fetch): typeof fetch {
      return async (input, init) => {
        const answer = await send(input, init);
        const completed = typeof input === 'string' ? COMPLETE.exec(input)?.[1] : undefined;
        if (completed !== undefined) end(completed);
        return answer;
      };
    },
    take: (): readonly ItemTime[] => times.splice(0),
  };

  function end(workItemId: string): void {
    const claim = claims.get(workItemId);
    if (claim !== undefined) times.push({ ...claim, completedMs: monotonicMs() });
    claims.delete(workItemId);
  }
}

const COMPLETE = /\/work-items\/([^/]+)\/complete$/;

/** Times from each answered completion to the claim of the next item of the same execution. */
export function summarizeHandOffs(times: readonly ItemTime[]): Readonly<Record<string, number>> {
  const chains = Map.groupBy(times, ({ executionId }) => executionId);
  const waitsMs = [...chains.values()].flatMap((chain) => {
    const sorted = chain.toSorted((left, right) => left.claimedMs - right.claimedMs);
    return sorted.slice(1).map(({ claimedMs }, index) => {
      // A waiting claim may get its answer before the completion does.
      return Math.max(0, claimedMs - (sorted[index]?.completedMs ?? 0));
    });
  });
  if (waitsMs.length === 0) return {};
  const sorted = waitsMs.toSorted((left, right) => left - right);
  return { next_claim_p50_ms: quantile(sorted, 0.5), next_claim_p99_ms: quantile(sorted, 0.99) };
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
