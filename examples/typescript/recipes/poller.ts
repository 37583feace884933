import { defineFunction } from 'svc-sdk/worker';

export interface Feed {
  /** The entries behind a cursor, and the cursor behind them. */
  readonly read: (cursor: string | null) => Promise<{ entries: string[]; cursor: string }>;
  readonly store: (entry: string, idempotencyKey: string) => Promise<void>;
}

export interface Poll {
  readonly cursor: string | null;
  /** When the poller ends, as `2027-12-31T00:00:00Z`. */
  readonly until: string;
}

export function definePoller({ read, store }: Feed) {
  return defineFunction<Poll, { cursor: string | null }>('poller', async (ctx, input) => {
    let { cursor } = input;
    for (let day = 0; day < 30; day += 1) {
      if (ctx.now() >= Date.parse(input.until)) return { cursor };
      const before = cursor;
      const page = await ctx.step('read', () => read(before));
      await ctx.map(page.entries, async (entry) =>
        ctx.step('store', ({ idempotencyKey }) => store(entry, idempotencyKey)),
      );
      ({ cursor } = page);
      await ctx.sleep('1d');
    }
    return ctx.continueAsNew({ ...input, cursor });
  });
}
