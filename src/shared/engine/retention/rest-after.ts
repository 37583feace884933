export interface Resting {
  readonly now: () => number;
  readonly rest: (milliseconds: number) => Promise<void>;
}

/** Rests as long as the work has taken, so that it never takes more than half of a connection's time. */
export async function restAfter<Result>(
  { now, rest }: Resting,
  work: () => Promise<Result>,
): Promise<Result> {
  const begun = now();
  const result = await work();
  await rest(now() - begun);
  return result;
}
