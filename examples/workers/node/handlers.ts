import type { Handler } from './run-worker.ts';

/**
 * The handlers of this worker, by `module.function` as the workflow names them. These serve the
 * `order` workflow and stand for calls to other systems.
 *
 * A call may come more than once: a worker can be lost between doing the work and handing in its
 * result. Every attempt at one step carries the same `idempotencyKey`. A handler passes it on to
 * every system that it changes, as payment providers and most APIs accept one, and gets the first
 * answer again. Here the answers are made from the key, which has the same effect.
 */
export const handlers: Readonly<Record<string, Handler>> = {
  'inventory.reserve': (input, { idempotencyKey }) => ({
    reservation_id: `res-${idempotencyKey.slice(0, 8)}`,
    order_id: input['order_id'] ?? null,
  }),

  'payment.authorize': (input, { idempotencyKey }) => {
    const { amount } = input;
    if (typeof amount !== 'number') throw new TypeError('amount must be a number');
    return { authorization_id: `auth-${idempotencyKey.slice(0, 8)}`, amount };
  },

  'shipping.dispatch': (input, { idempotencyKey }) => ({
    parcel_id: `parcel-${idempotencyKey.slice(0, 8)}`,
    order_id: input['order_id'] ?? null,
  }),
};
