import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/* The tools of `svc worker check`, for the worker of `examples/workers/typescript`. */

type JsonObject = Record<string, unknown>;

export const HANDLERS: Readonly<
  Record<string, (input: JsonObject, idempotencyKey: string) => JsonObject | Promise<JsonObject>>
> = {
  'check.echo': (input) => input,

  'check.call': (_, idempotencyKey) => ({ call: randomUUID(), idempotency_key: idempotencyKey }),

  'check.fail': ({ message }) => {
    throw new Error(typeof message === 'string' ? message : 'failed');
  },

  'check.slow': async ({ ms }) => {
    await delay(Number(ms));
    return { ms };
  },
};
