import { defineFunction, NonRetryableError } from 'svc-sdk/worker';

export interface Order {
  readonly item: string;
  readonly amount: number;
}

/**
 * A durable function: each step runs once. After a crash, the function continues behind the last
 * step that was recorded.
 */
export const order = defineFunction('order', async (ctx, input: Order) => {
  // Register how to undo a step before it runs.
  ctx.onRollback('release', () => console.log(`released the reservation of ${input.item}`));
  const reservation = await ctx.step('reserve', ({ idempotencyKey }) => {
    // Send the key to the systems you call: a step that a crash interrupts runs again.
    console.log(`reserves ${input.item}`);
    return { id: `reservation-${idempotencyKey.slice(0, 8)}` };
  });

  // Nothing waits in memory: the function may sleep for a second or for a month.
  await ctx.sleep('1s');

  const payment = await ctx.step('charge', () => {
    if (input.amount > 1000) throw new NonRetryableError('the card was declined');
    console.log(`charges ${input.amount}`);
    return { charged: input.amount };
  });
  return { reservation: reservation.id, charged: payment.charged };
});
