import { NonRetryableError, type StepContext } from 'svc-sdk/worker';

/** Calls another system under the key of the step, so that it does the work once. */
export async function postJson<Answer>(
  path: string,
  given: { readonly step: StepContext; readonly body: object },
): Promise<Answer> {
  const url = process.env['SHOP_URL'] ?? 'http://127.0.0.1:8080';
  const response = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': given.step.idempotencyKey,
    },
    body: JSON.stringify(given.body),
    signal: given.step.signal,
  });
  // The same request is refused again: no other attempt follows.
  if (response.status === 402) throw new NonRetryableError(`${path} is refused`);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json() as Promise<Answer>;
}
