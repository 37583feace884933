/** A reading takes at most one part in so many of the service's time. */
const SHARE = 50;
/** A machine that slept during a reading measures hours. */
const EVERY_MS_MAX = 300_000;

/** An answer, and how long the service took for it. */
export interface Timed<Answer> {
  readonly answer: Answer;
  readonly tookMs: number;
}

export async function timed<Answer>(
  read: () => Promise<Answer>,
  now: () => number = () => performance.now(),
): Promise<Timed<Answer>> {
  const startedAt = now();
  const answer = await read();
  return { answer, tookMs: now() - startedAt };
}

/** The time to the next reading: `everyMs`, and longer after an answer that was slow. */
export function pace(everyMs: number, last: Timed<unknown> | undefined): number {
  return Math.max(everyMs, Math.min((last?.tookMs ?? 0) * SHARE, EVERY_MS_MAX));
}
