import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, streamText, tool, ToolLoopAgent } from 'ai';
import { durableModel, durableTools, stepOf } from 'svc-sdk/ai';
import { z } from 'zod';

import type { AgentAnswer, AgentParams, Major } from './major.ts';

export const major7: Major = {
  name: 'ai 7',
  generate: async (params) => answer(await generateText(settings(params))),
  stream: async (params) => {
    const result = streamText({ ...settings(params), onError: () => undefined });
    const texts: string[] = [];
    for await (const text of result.textStream) texts.push(text);
    const [text, usage, response] = await Promise.all([result.text, result.usage, result.response]);
    return { ...answer({ text, usage, response }), texts };
  },
  loop: async (params) => {
    const { prompt, abortSignal, ...others } = settings(params);
    const agent = new ToolLoopAgent(others);
    return answer(await agent.generate({ prompt, ...(abortSignal && { abortSignal }) }));
  },
};

function settings(params: AgentParams) {
  const { ctx, url, abortSignal } = params;
  const provider = createOpenAICompatible({ name: 'fake', baseURL: url, includeUsage: true });
  return {
    model: durableModel(ctx, provider('fake-1'), params.model),
    tools: durableTools(ctx, makeTools(params), params.tools),
    prompt: 'Help the customer.',
    stopWhen: isStepCount(5),
    ...(abortSignal && { abortSignal }),
  };
}

function makeTools({ act, needsApproval }: AgentParams) {
  return {
    weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }, call) =>
        act('weather', { input: city, key: stepOf(call).idempotencyKey }),
    }),
    refund: tool({
      inputSchema: z.object({ order: z.string() }),
      ...(needsApproval !== undefined && { needsApproval }),
      execute: async ({ order }, call) =>
        act('refund', { input: order, key: stepOf(call).idempotencyKey }),
    }),
    count: tool({
      inputSchema: z.object({ to: z.number() }),
      async *execute({ to }) {
        for (let at = 1; at <= to; at += 1) yield { at };
      },
    }),
  };
}

function answer(result: {
  readonly text: string;
  readonly usage: { readonly totalTokens: number | undefined };
  readonly response: { readonly timestamp: Date };
}): AgentAnswer {
  return {
    text: result.text,
    totalTokens: result.usage.totalTokens ?? null,
    answeredAt: result.response.timestamp.toISOString(),
  };
}
