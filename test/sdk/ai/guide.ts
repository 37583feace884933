import { generateText, isStepCount, streamText, tool, type LanguageModel, type ToolSet } from 'ai';
import { durableModel, durableTools, stepOf, type LanguageModelLike } from 'svc-sdk/ai';
import { createTestRuntime } from 'svc-sdk/testing';
import { defineFunction, type FunctionContext } from 'svc-sdk/worker';
import { z } from 'zod';

/* The blocks of docs/guides/ai-sdk.md that are part of no example. */

type Model = Exclude<LanguageModel, string> & LanguageModelLike;

export async function options(ctx: FunctionContext, model: Model) {
  const writer = durableModel(ctx, model, {
    name: 'writer',
    timeout: '2m',
    retry: { maxAttempts: 8, maxInterval: '1h' },
  });
  return generateText({ model: writer, prompt: 'Hello' });
}

const inputSchema = z.object({ order_id: z.string() });

export function refunds(pay: (order: object, key: string) => Promise<void>) {
  const refund = tool({
    description: 'Pay the price of an order back',
    inputSchema,
    execute: (order, call) => pay(order, stepOf(call).idempotencyKey),
  });
  return { refund };
}

export function retries<Tools extends ToolSet>(ctx: FunctionContext, tools: Tools) {
  const patient = durableTools(ctx, tools, {
    step: (name) => (name === 'search' ? { retry: { maxAttempts: 1 } } : { timeout: '1m' }),
  });
  return patient;
}

export function gates<Tools extends ToolSet>(ctx: FunctionContext, tools: Tools) {
  const gated = durableTools(ctx, tools, {
    approve: ({ toolName, input }) => toolName === 'refund' && amountOf(input) > 100,
    approvalTimeout: '3d',
    onRejection: 'error',
  });
  return gated;
}

function amountOf(input: unknown): number {
  return typeof input === 'object' && input !== null && 'amount' in input
    ? Number(input.amount)
    : Number.POSITIVE_INFINITY;
}

export function streamed(model: Model) {
  return defineFunction<{ prompt: string }, { text: string }>('writer', async (ctx, { prompt }) => {
    const result = streamText({ model: durableModel(ctx, model), prompt });
    const text = await result.text;
    return { text };
  });
}

export function research(model: Model, tools: ToolSet) {
  return defineFunction<{ question: string }, { text: string }>('research', async (ctx, input) => {
    const { text } = await generateText({
      model: durableModel(ctx, model),
      tools: durableTools(ctx, tools, { approve: ['publish'] }),
      stopWhen: isStepCount(10),
      prompt: input.question,
    });
    return { text };
  });
}

export async function tested(model: Model, tools: ToolSet) {
  const agent = research(model, tools);
  await using runtime = await createTestRuntime({
    functions: [agent],
    steps: { publish: () => ({ url: 'https://example.com/1' }) },
  });
  const execution = await runtime.start(agent, { question: 'Who was Ada Lovelace?' });
  await execution.approve();
  const { text } = await execution.result();
  return text;
}
