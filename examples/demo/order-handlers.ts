import type { Call, Handler } from '../workers/node/run-worker.ts';

/** The tools of the `order` workflow, as calls to the shop's own systems at SHOP_URL. */
export const handlers: Readonly<Record<string, Handler>> = {
  'inventory.reserve': async (input, call) => ({
    reservation_id: await askShop('inventory.reserve', call),
    order_id: input['order_id'] ?? null,
  }),
  'payment.authorize': async (input, call) => ({
    authorization_id: await askShop('payment.authorize', call),
    amount: input['amount'] ?? null,
  }),
  'shipping.dispatch': async (input, call) => ({
    parcel_id: await askShop('shipping.dispatch', call),
    order_id: input['order_id'] ?? null,
  }),
};

/** The key of the step goes along, so that a call which comes twice has its effect once. */
async function askShop(tool: string, call: Call): Promise<string> {
  const response = await fetch(`${process.env['SHOP_URL']}/${tool}`, {
    method: 'POST',
    headers: { 'idempotency-key': call.idempotencyKey },
    signal: call.signal,
  });
  if (!response.ok) throw new Error(`the shop answered ${response.status}`);
  const { id } = (await response.json()) as { readonly id: string };
  return id;
}
