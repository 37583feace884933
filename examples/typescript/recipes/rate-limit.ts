import { defineFunction } from 'svc-sdk/worker';

export function defineNewsletter(send: (to: string, key: string) => Promise<void>) {
  return defineFunction<{ readers: string[] }>(
    'newsletter',
    async (ctx, { readers }) => {
      for (let at = 0; at < readers.length; at += 100) {
        if (at > 0) await ctx.sleep('1m');
        await ctx.map(
          readers.slice(at, at + 100),
          async (reader) => ctx.step('send', ({ idempotencyKey }) => send(reader, idempotencyKey)),
          { name: 'readers' },
        );
      }
    },
    { queue: 'mail' },
  );
}
