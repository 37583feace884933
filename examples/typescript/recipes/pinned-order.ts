import { createWorker, defineFunction } from 'svc-sdk/worker';

export function createOrderWorker(
  charge: (input: object, idempotencyKey: string) => Promise<void>,
  { url, buildId }: { readonly url: string; readonly buildId: string },
) {
  const order = defineFunction(
    'pinned-order',
    (ctx, input) => ctx.step('charge', ({ idempotencyKey }) => charge(input, idempotencyKey)),
    { pinned: true },
  );
  const worker = createWorker({ url, functions: [order], buildId });
  return worker;
}
