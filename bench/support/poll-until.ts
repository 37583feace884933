import { setTimeout as rest } from 'node:timers/promises';

/**
 * Asks again and again until the answer is yes, with rests of `everyMs` between; for what another
 * process can only be asked. Throws what it was waiting for when that takes longer than `withinMs`.
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
