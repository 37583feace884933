import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = { min: 5, max: 50 };

/**
 * Calls `check` until it returns without throwing, and gives what it returned; after `withinMs` it
 * rejects with what `check` threw last. For what the outside can only learn by looking again.
 */
export async function eventually<Result>(
  check: () => Promise<Result> | Result,
  { withinMs = 20_000 }: { readonly withinMs?: number } = {},
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  let restMs = POLL_MS.min;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await delay(restMs);
    restMs = Math.min(restMs * 2, POLL_MS.max);
  }
}
