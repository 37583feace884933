import { setTimeout as rest } from 'node:timers/promises';

/**
 * Polls every `everyMs` until the answer is true, for states that only another process knows.
 * Throws `what` when that takes longer than `withinMs`.
 */
export async function pollUntil(
  isSo: () => Promise<boolean> | boolean,
  given: { readonly what: string; readonly everyMs: number; readonly withinMs: number },
): Promise<void> {
  const { what, everyMs, withinMs } = given;
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await rest(everyMs);
  }
}
