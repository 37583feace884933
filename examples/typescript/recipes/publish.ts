import { defineFunction, WaitTimeoutError } from 'svc-sdk/worker';

export function definePublish(publish: (text: string, key: string) => Promise<void>) {
  return defineFunction<{ text: string }, { published: boolean }>('publish', async (ctx, input) => {
    try {
      const decision = await ctx.approval('editor', {
        description: 'Publish this text?',
        context: { text: input.text },
        timeout: '2d',
      });
      if (!decision.approved) return { published: false };
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      return { published: false };
    }
    await ctx.step('publish', ({ idempotencyKey }) => publish(input.text, idempotencyKey));
    return { published: true };
  });
}
