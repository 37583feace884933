import { defineFunction } from 'svc-sdk/worker';

import { askModel, type Message } from './model.ts';
import { costsMoney, runTool } from './tools.ts';

type Ticket = { readonly text: string };

export const supportAgent = defineFunction('support-agent', async (ctx, { text }: Ticket) => {
  const messages: Message[] = [{ role: 'user', text }];
  for (;;) {
    const reply = await ctx.step('model', () => askModel(messages));
    const { call } = reply;
    if (call === null) return { answer: reply.text };
    const isApproved =
      !costsMoney(call) || (await ctx.approval('refund', { context: call })).approved;
    const result = isApproved ? await ctx.step('tool', () => runTool(call)) : 'A person refused';
    messages.push(reply, { role: 'tool', callId: call.id, text: result });
  }
});
