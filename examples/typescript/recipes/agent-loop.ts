import { defineFunction } from 'svc-sdk/worker';

interface Reply {
  readonly text: string;
  readonly tool: { readonly name: string; readonly input: object } | null;
}

/** The tools of the agent; each call happens in a step. */
export interface AgentTools {
  readonly ask: (messages: readonly string[]) => Promise<Reply>;
  readonly call: (name: string, input: object, idempotencyKey: string) => Promise<object>;
}

export function defineAgent({ ask, call }: AgentTools) {
  return defineFunction<{ task: string }, { answer: string }>('agent', async (ctx, { task }) => {
    const messages = [task];
    for (let round = 0; round < 20; round += 1) {
      const reply = await ctx.step('ask', () => ask(messages), { timeout: '2m' });
      messages.push(reply.text);
      const { tool } = reply;
      if (tool === null) return { answer: reply.text };
      const result = await ctx.step(tool.name, ({ idempotencyKey }) =>
        call(tool.name, tool.input, idempotencyKey),
      );
      messages.push(JSON.stringify(result));
    }
    throw new Error('no answer after 20 rounds');
  });
}
