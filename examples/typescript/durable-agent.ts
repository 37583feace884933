import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { durableModel, durableTools, stepOf } from 'svc-sdk/ai';
import { defineFunction } from 'svc-sdk/worker';
import { z } from 'zod';

import { sendJson } from './send-json.ts';

const shop = (path: string): string =>
  `${process.env['SHOP_URL'] ?? 'http://127.0.0.1:8082'}/${path}`;

const inputSchema = z.object({ order_id: z.string() });

const tools = {
  find_order: tool({
    description: 'Look up an order',
    inputSchema,
    execute: ({ order_id: id }) => sendJson('GET', shop(`orders/${encodeURIComponent(id)}`)),
  }),
  refund: tool({
    description: 'Pay the price of an order back',
    inputSchema,
    execute: (order, call) =>
      sendJson('PUT', shop(`refunds/${stepOf(call).idempotencyKey}`), order),
  }),
};

/** Answers a ticket. A person decides about each refund, and a crash repeats nothing. */
export const durableAgent = defineFunction(
  'durable-agent',
  async (ctx, { text }: { readonly text: string }) => {
    const { MODEL_URL = 'http://127.0.0.1:8081', MODEL = 'gpt-5-mini' } = process.env;
    const provider = createOpenAICompatible({ name: 'openai', baseURL: `${MODEL_URL}/v1` });
    const agent = new ToolLoopAgent({
      model: durableModel(ctx, provider(MODEL), { timeout: '2m' }),
      tools: durableTools(ctx, tools, { approve: ['refund'], approvalTimeout: '3d' }),
      stopWhen: isStepCount(20),
    });
    const { text: answer } = await agent.generate({ prompt: text });
    return { answer };
  },
);
