/** Handlers for the example worker: every step returns the key of its call. */
export const handlers = {
  'chain.step': (_input: object, call: { readonly idempotencyKey: string }) => ({
    key: call.idempotencyKey,
  }),
};
