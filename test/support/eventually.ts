import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = { min: 5, max: 50 };

/**
 * Calls `check` until it returns without throwing, and resolves with its result. After `withinMs`
 * it rejects with the last error of `check`. For states that only polling can detect.
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
