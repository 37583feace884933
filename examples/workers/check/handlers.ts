import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { Handler } from '../node/run-worker.ts';

/* The tools of `svc worker check`, for the worker of `examples/workers/node`. */

let cancelled = 0;

export const handlers: Readonly<Record<string, Handler>> = {
  'check.echo': (input) => input,

  'check.call': (_, { idempotencyKey }) => ({
    call: randomUUID(),
    idempotency_key: idempotencyKey,
  }),

  'check.fail': ({ message }) => {
    throw new Error(typeof message === 'string' ? message : 'failed');
  },

  'check.slow': async ({ ms }) => {
    await delay(Number(ms));
    return { ms: Number(ms) };
  },

  'check.cancel': async ({ ms }, { signal }) => {
    await delay(Number(ms), undefined, { signal }).catch(() => (cancelled += 1));
    return {};
  },

  'check.cancelled': () => ({ cancelled }),
};
