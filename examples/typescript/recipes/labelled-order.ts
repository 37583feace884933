import { defineFunction } from 'svc-sdk/worker';

/** An order that is found by its labels while it waits. */
export function defineLabelledOrder(pay: (order: string) => Promise<void>) {
  return defineFunction('labelled-order', async (ctx, { id }: { readonly id: string }) => {
    ctx.setLabels({ order: id, phase: 'paying' });
    await ctx.step('pay', () => pay(id));
    ctx.setLabels({ phase: 'waiting' });
    await ctx.waitForEvent('shipped');
    ctx.setLabels({ phase: 'shipped' });
  });
}
