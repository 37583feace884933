import { defineFunction } from 'svc-sdk/worker';

export interface Payment {
  readonly payment_id: string;
  readonly amount: number;
}

/** Hands the execution to the payment provider, which sends it back in its webhook. */
export function defineCheckout(open: (executionId: string, key: string) => Promise<object>) {
  return defineFunction<{ amount: number }, Payment>('checkout', async (ctx) => {
    await ctx.step('open payment', ({ idempotencyKey }) => open(ctx.executionId, idempotencyKey));
    return ctx.waitForEvent<Payment>('paid', { timeout: '1h' });
  });
}

/** The code of your webhook endpoint. A webhook may come twice, or before the wait. */
export async function onPaymentWebhook(
  svc: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  webhook: { readonly executionId: string; readonly payment: Payment },
): Promise<void> {
  const response = await fetch(`${svc.url}/executions/${webhook.executionId}/external-event`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...svc.headers },
    body: JSON.stringify({ correlation_key: 'paid', payload: webhook.payment }),
  });
  // The provider sends the webhook again.
  if (!response.ok) throw new Error(`svc answered ${response.status}`);
}
