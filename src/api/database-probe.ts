export type DatabaseState = 'connected' | 'disconnected';

/** Whether the database answers, asked at most once a second however often callers ask. */
export interface DatabaseProbe {
  check(): Promise<DatabaseState>;
  /** Something else has met with a database that is away: the next check asks again. */
  invalidate(): void;
}

const REMEMBER_MS = 1_000;
/** `/health` is open and must answer in time for a liveness probe, even while a ping hangs. */
const ANSWER_WITHIN_MS = 2_000;

export function createDatabaseProbe(params: {
  readonly ping: () => Promise<void>;
  readonly now: () => number;
}): DatabaseProbe {
  let last: { readonly at: number; readonly state: Promise<DatabaseState> } | null = null;
  return {
    check() {
      if (last === null || params.now() - last.at >= REMEMBER_MS) {
        last = { at: params.now(), state: pingWithin(params.ping) };
      }
      return last.state;
    },
    invalidate: () => void (last = null),
  };
}

async function pingWithin(ping: () => Promise<void>): Promise<DatabaseState> {
  const { promise, resolve } = Promise.withResolvers<DatabaseState>();
  const timer = setTimeout(resolve, ANSWER_WITHIN_MS, 'disconnected');
  ping().then(
    () => resolve('connected'),
    () => resolve('disconnected'),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
