/** Handlers for the example worker: every step says under which key it was called. */
export const handlers = {
  'chain.step': (_input: object, call: { readonly idempotencyKey: string }) => ({
    key: call.idempotencyKey,
  }),
};
