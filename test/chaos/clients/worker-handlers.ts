import type { JsonObject } from '../../../src/shared/domain/json.ts';

/**
 * Handlers for the workflows of a chaos run, used by the worker of `examples/workers/node`. The
 * input has the address of the outside system.
 */
export const handlers = {
  'chaos.effect': haveEffect,
  'chaos.flaky': async (input: JsonObject, call: Call) => {
    if (call.attempt < 2) throw new Error('it breaks down twice');
    return haveEffect(input, call);
  },
};

interface Call {
  readonly idempotencyKey: string;
  readonly attempt: number;
}

const CALL_MS_MAX = 5_000;

/** Has its outside effect under the key of the step, and returns the receipt. */
export async function haveEffect(input: JsonObject, call: Call): Promise<JsonObject> {
  const { idempotencyKey, attempt } = call;
  const { token, outside } = input as { readonly token?: string; readonly outside?: string };
  const response = await fetch(`${outside}/effects`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ token, attempt }),
    signal: AbortSignal.timeout(CALL_MS_MAX),
  });
  const { receipt } = (await response.json()) as { receipt: string };
  return { receipt };
}
