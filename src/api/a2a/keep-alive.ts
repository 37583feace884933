/**
 * Passes events on, and says something whenever nothing came for a while, so that nobody on the way
 * takes the connection for dead.
 */
export async function* keepAlive(
  events: AsyncGenerator<string, void, undefined>,
  params: {
    readonly quietMs: number;
    readonly onFailure: (error: unknown) => void;
  },
): AsyncGenerator<string, void, undefined> {
  let pending = events.next();
  try {
    for (;;) {
      const next = await orQuiet(pending, params.quietMs);
      if (next === 'quiet') {
        yield ': waiting\n\n';
        continue;
      }
      if (next.done === true) return;
      yield next.value;
      pending = events.next();
    }
  } catch (error) {
    params.onFailure(error);
  } finally {
    // A pending read ends with the client's connection; nobody awaits it.
    pending.then(() => events.return()).catch(() => {});
  }
}

async function orQuiet<Result>(work: Promise<Result>, quietMs: number): Promise<Result | 'quiet'> {
  const { promise, resolve } = Promise.withResolvers<'quiet'>();
  const timer = setTimeout(resolve, quietMs, 'quiet');
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
