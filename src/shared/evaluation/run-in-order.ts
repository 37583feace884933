/** The most results that wait for earlier ones; beyond it, items ahead wait. */
const AHEAD_MAX = 256;

/**
 * Processes items, several at a time, and hands on their results one by one in the order of the
 * items. It starts no further item once `isOver` is true or one has failed. The running items still
 * finish, and their results are handed on; then it rejects with the first error.
 */
export async function runInOrder<Item, Result>(params: {
  readonly items: AsyncIterable<Item>;
  readonly concurrency: number;
  readonly isOver: () => boolean;
  readonly run: (item: Item) => Promise<Result>;
  readonly take: (result: Result) => Promise<void>;
}): Promise<void> {
  const iterator = params.items[Symbol.asyncIterator]();
  /** Null: there is no result, and there won't be one. */
  const early = new Map<number, { readonly result: Result } | null>();
  const errors: unknown[] = [];
  let started = 0;
  let taken = 0;
  let taking: Promise<void> = Promise.resolve();
  let turn = Promise.withResolvers<void>();

  async function takeNext(): Promise<void> {
    for (let next = early.get(taken); next !== undefined; next = early.get(taken)) {
      early.delete(taken);
      taken += 1;
      if (next !== null) await params.take(next.result);
    }
    turn.resolve();
    turn = Promise.withResolvers<void>();
  }

  async function runOne(place: number, item: Item): Promise<void> {
    try {
      early.set(place, { result: await params.run(item) });
    } catch (error) {
      early.set(place, null);
      errors.push(error);
    }
    taking = taking.then(takeNext);
    await taking;
    const isAhead = () => errors.length === 0 && place >= taken + AHEAD_MAX;
    while (isAhead()) await turn.promise;
  }

  async function work(): Promise<void> {
    while (errors.length === 0 && !params.isOver()) {
      const next = await iterator.next();
      if (next.done === true) return;
      await runOne(started++, next.value);
    }
  }

  const workers = Array.from({ length: params.concurrency }, () =>
    work().catch((error: unknown) => {
      errors.push(error);
      turn.resolve();
    }),
  );
  await Promise.all(workers);
  await iterator.return?.(undefined);
  if (errors.length > 0) throw errors[0];
}
