import { StepError } from 'svc-sdk/worker';
import { replayHistory } from 'svc-sdk/testing';

import { until } from '../support/with-worker.ts';
import { runAgent, withEachMajor } from './support/agent-under-test.ts';
import { inTurn, noAnswer } from './support/fake-provider.ts';

const WEATHER = [
  { tool: 'weather', input: { city: 'Rome' } },
  { tool: 'weather', input: { city: 'Oslo' } },
];

for (const way of ['generate', 'loop', 'stream'] as const) {
  withEachMajor(`${way}: each model call is one step, also after a replay`, async (t, major) => {
    const under = await runAgent(t, major, {
      answer: inTurn(WEATHER, 'It is warmer in Rome.'),
      ask: (params) => major[way](params),
    });
    await under.runtime.advance('1d');
    const result = await under.execution.result();
    t.like(result, {
      text: 'It is warmer in Rome.',
      totalTokens: 30,
      answeredAt: '2023-11-14T22:13:20.000Z',
    });
    t.is(under.provider.asked.length, 2);
    t.deepEqual(under.effects, ['weather Rome', 'weather Oslo']);
    t.is(new Set(under.keys).size, 2);
    t.deepEqual(await under.names(), ['model', 'weather', 'weather#2', 'model#2', 'sleep']);
    await replayHistory(under.agent, await under.execution.events());
  });
}

withEachMajor('the step has usage and content, and nothing of HTTP', async (t, major) => {
  const under = await runAgent(t, major, { answer: inTurn('Hello.') });
  const [model] = await under.execution.steps();
  const text = JSON.stringify(model?.output);
  t.regex(text, /"inputTokens":\{"total":10/);
  t.regex(text, /"outputTokens":\{"total":5/);
  t.regex(text, /Hello\./);
  t.notRegex(text, /content-type|Help the customer/);
});

for (const way of ['generate', 'loop', 'stream'] as const) {
  withEachMajor(`${way}: the tokens of each model call are recorded with it`, async (t, major) => {
    const under = await runAgent(t, major, {
      answer: inTurn(WEATHER, 'It is warmer in Rome.'),
      ask: (params) => major[way](params),
    });
    const steps = await under.execution.steps();
    const used = { model: 'fake-1', inputTokens: 10, outputTokens: 5, costUsd: null };
    t.deepEqual(
      steps.map(({ name, usage }) => [name, usage]),
      [
        ['model', used],
        ['weather', null],
        ['weather#2', null],
        ['model#2', used],
      ],
    );
  });
}

for (const way of ['generate', 'loop', 'stream'] as const) {
  withEachMajor(`${way}: a budget ends the loop of an agent`, async (t, major) => {
    const under = await runAgent(t, major, {
      answer: () => WEATHER,
      ask: (params) => major[way](params),
      options: { workflow: { tokenBudget: 25 } },
    });
    // A stream does not throw the error; the runtime then refuses the turn after the sleep.
    await under.runtime.advance('1d');
    const error = await t.throwsAsync(under.execution.result());
    t.regex(error?.message ?? '', /the budget is used up \(30 of 25 tokens\)/);
    t.is(under.provider.asked.length, 2);
  });
}

withEachMajor('a stream is recorded without its chunks', async (t, major) => {
  let texts: readonly string[] = [];
  const under = await runAgent(t, major, {
    answer: inTurn('A long answer, letter by letter.'),
    ask: async (params) => {
      const { texts: read, ...answer } = await major.stream(params);
      texts = read;
      return answer;
    },
  });
  t.deepEqual(texts, ['A long answer, letter by letter.']);
  const [model] = await under.execution.steps();
  t.is(JSON.stringify(model?.output).match(/"text-delta"/g)?.length, 1);
});

for (const way of ['generate', 'stream'] as const) {
  withEachMajor(`${way}: a fault of the provider is retried within the step`, async (t, major) => {
    const under = await runAgent(t, major, {
      answer: (_messages, requests) => (requests < 2 ? { status: 503 } : 'Here again.'),
      ask: (params) => major[way](params),
    });
    await under.runtime.advance('1d');
    t.is((await under.execution.result()).text, 'Here again.');
    t.is(under.provider.asked.length, 3);
    t.deepEqual(await under.names(), ['model', 'sleep']);
  });
}

withEachMajor('a refused request is not repeated', async (t, major) => {
  let seen: unknown = null;
  const under = await runAgent(t, major, {
    answer: () => ({ status: 400 }),
    ask: (params) =>
      major.generate(params).catch((error: unknown) => {
        seen = error;
        return { text: 'refused', totalTokens: null, answeredAt: '' };
      }),
  });
  await under.runtime.advance('1d');
  t.is((await under.execution.result()).text, 'refused');
  t.true(seen instanceof StepError);
  t.like(seen, { step: 'model', errorClass: 'AI_APICallError', message: 'refused with 400' });
  t.is(under.provider.asked.length, 1);
});

withEachMajor('an abort of the caller ends the request, and is replayed', async (t, major) => {
  const caught: string[] = [];
  const caller = new AbortController();
  const under = await runAgent(t, major, {
    answer: () => {
      caller.abort();
      return noAnswer;
    },
    ask: (params) => {
      // The signal of a later turn has not aborted, but the record says that the call was aborted.
      const abortSignal = params.ctx.turn === 0 ? caller.signal : new AbortController().signal;
      return major.generate({ ...params, abortSignal }).catch((error: unknown) => {
        caught.push(error instanceof Error ? error.name : 'nothing');
        return { text: 'aborted', totalTokens: null, answeredAt: '' };
      });
    },
  });
  await under.runtime.advance('1d');
  t.is((await under.execution.result()).text, 'aborted');
  t.deepEqual(caught, ['AbortError', 'AbortError']);
  t.is(under.provider.asked.length, 1);
  await until('the request is given up', () => under.provider.left() === 1);
});

withEachMajor('a step whose result is of no use ends its request', async (t, major) => {
  const asked = Promise.withResolvers<void>();
  const under = await runAgent(t, major, {
    answer: () => {
      asked.resolve();
      return noAnswer;
    },
    model: { name: 'ask' },
    ask: (params) =>
      params.ctx.race([
        () => major.generate(params),
        async (ctx) => {
          const text = await ctx.step('other', () => asked.promise.then(() => 'faster'));
          return { text, totalTokens: null, answeredAt: '' };
        },
      ]),
  });
  await until('the request is given up', () => under.provider.left() === 1);
  await under.runtime.advance('1d');
  t.is((await under.execution.result()).text, 'faster');
  t.is(under.provider.asked.length, 1);
  t.deepEqual(await under.names(), ['race[1]/other', 'sleep']);
});
