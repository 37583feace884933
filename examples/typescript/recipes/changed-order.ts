import { defineFunction } from 'svc-sdk/worker';

export interface OrderSystems {
  readonly check: (input: object) => Promise<void>;
  readonly charge: (input: object, idempotencyKey: string) => Promise<void>;
}

export function defineChangedOrder({ check, charge }: OrderSystems) {
  return defineFunction('changed-order', async (ctx, input) => {
    const version = ctx.version('check first', 1);
    if (version >= 1) await ctx.step('check', () => check(input));
    await ctx.step('charge', ({ idempotencyKey }) => charge(input, idempotencyKey));
    return { version };
  });
}
