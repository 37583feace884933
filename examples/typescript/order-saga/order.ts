import { defineFunction } from 'svc-sdk/worker';

import { postJson } from './post-json.ts';

export interface Order {
  readonly order_id: string;
  readonly amount: number;
}

/** Reserves, charges and ships. If the function fails or is cancelled, it undoes what it did. */
export const order = defineFunction<Order, { parcel_id: string }>('order', async (ctx, input) => {
  const body = { order_id: input.order_id, amount: input.amount };

  ctx.onRollback('release stock', (step) => postJson('stock/release', { step, body }));
  await ctx.step('reserve stock', (step) => postJson('stock/reserve', { step, body }));

  ctx.onRollback('refund', (step) => postJson('payment/refund', { step, body }));
  await ctx.step('charge', (step) => postJson('payment/charge', { step, body }));

  if (input.amount > 1000) {
    const decision = await ctx.approval('large order', { context: body, timeout: '3d' });
    if (!decision.approved) throw new Error(`${decision.decidedBy} refused the order`);
  }

  return ctx.step('ship', (step) => postJson<{ parcel_id: string }>('parcels', { step, body }));
});
