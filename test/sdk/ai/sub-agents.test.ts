import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, tool } from 'ai';
import test from 'ava';
import { z } from 'zod';

import { durableModel, durableTools } from 'svc-sdk/ai';
import { createTestRuntime } from 'svc-sdk/testing';
import { defineFunction, type FunctionContext } from 'svc-sdk/worker';

import { inTurn, startFakeProvider } from './support/fake-provider.ts';

const QUESTIONS = ['Rome', 'Oslo'].map((topic) => ({ tool: 'research', input: { topic } }));
const SEARCH = [{ tool: 'search', input: { topic: 'x' } }];

/** An agent whose tool is an agent. */
function defineAgents(url: string, given: { readonly wrap: boolean }) {
  const model = createOpenAICompatible({ name: 'fake', baseURL: url });
  const inputSchema = z.object({ topic: z.string() });
  const search = tool({ inputSchema, execute: ({ topic }) => `found ${topic}` });
  const research = (ctx: FunctionContext) => ({
    research: tool({
      inputSchema,
      execute: async ({ topic }) => {
        const { text } = await generateText({
          model: durableModel(ctx, model('researcher'), { name: 'researcher' }),
          tools: durableTools(ctx, { search }),
          stopWhen: isStepCount(3),
          prompt: topic,
        });
        return text;
      },
    }),
  });
  return defineFunction<object, { text: string }>('agents', async (ctx) => {
    const { text } = await generateText({
      model: durableModel(ctx, model('writer')),
      tools: given.wrap ? durableTools(ctx, research(ctx)) : research(ctx),
      stopWhen: isStepCount(3),
      prompt: 'Write.',
    });
    await ctx.sleep('1d');
    return { text };
  });
}

const answer: Parameters<typeof startFakeProvider>[0] = (messages) => {
  const isWriter = JSON.stringify(messages[0]).includes('Write.');
  return (isWriter ? inTurn(QUESTIONS, 'Written.') : inTurn(SEARCH, 'Found.'))(messages);
};

test('a tool that is not wrapped may be a durable agent', async (t) => {
  const provider = await startFakeProvider(answer);
  t.teardown(() => provider.close());
  const agents = defineAgents(provider.url, { wrap: false });
  await using runtime = await createTestRuntime({ functions: [agents] });
  const execution = await runtime.start(agents, {});
  await runtime.advance('1d');
  t.deepEqual(await execution.result(), { text: 'Written.' });
  t.is(provider.asked.length, 6);
  t.deepEqual((await execution.steps()).map(({ name }) => name).toSorted(), [
    'model',
    'model#2',
    'researcher',
    'researcher#2',
    'researcher#3',
    'researcher#4',
    'search',
    'search#2',
    'sleep',
  ]);
});

test('a wrapped tool that uses ctx tells the model what is wrong', async (t) => {
  const provider = await startFakeProvider(answer);
  t.teardown(() => provider.close());
  const agents = defineAgents(provider.url, { wrap: true });
  await using runtime = await createTestRuntime({ functions: [agents] });
  const execution = await runtime.start(agents, {});
  await runtime.advance('1d');
  await execution.result();
  t.regex(JSON.stringify(provider.asked.at(-1)), /ctx is not for the code of a step/);
});
