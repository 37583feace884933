import { setImmediate } from 'node:timers/promises';

import type { ExecutionContext } from 'ava';

import { runAgent, withEachMajor, type AgentUnderTest } from './support/agent-under-test.ts';
import { inTurn } from './support/fake-provider.ts';

const REFUND = [{ tool: 'refund', input: { order: 'A-1' } }];
const WEATHER = [
  { tool: 'weather', input: { city: 'Rome' } },
  { tool: 'weather', input: { city: 'Oslo' } },
];

async function end(t: ExecutionContext, under: AgentUnderTest): Promise<string> {
  await under.runtime.advance('1d');
  const { text } = await under.execution.result();
  t.is(new Set(under.keys).size, under.keys.length, 'each call has a key of its own');
  return text;
}

/** The tool results that the model received last. */
function told(under: AgentUnderTest): string {
  const messages = under.provider.asked.at(-1) ?? [];
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');
}

withEachMajor('parallel calls keep their names, in any order of their ends', async (t, major) => {
  const oslo = Promise.withResolvers<void>();
  const under = await runAgent(t, major, {
    answer: inTurn(WEATHER, 'Done.'),
    act: async (_tool, { input }) => {
      if (input === 'Oslo') oslo.resolve();
      else await oslo.promise.then(() => setImmediate());
      return { city: input };
    },
  });
  t.is(await end(t, under), 'Done.');
  const steps = await under.execution.steps();
  t.deepEqual(
    steps.map(({ name }) => name),
    ['model', 'weather#2', 'weather', 'model#2', 'sleep'],
  );
  t.deepEqual(steps[2]?.output, { city: 'Rome' });
  t.is(told(under), '{"city":"Rome"}\n{"city":"Oslo"}');
  t.deepEqual(under.effects, ['weather Rome', 'weather Oslo']);
});

for (const way of ['generate', 'loop', 'stream'] as const) {
  withEachMajor(`${way}: a call waits for its approval`, async (t, major) => {
    const under = await runAgent(t, major, {
      answer: inTurn(REFUND, 'Refunded.'),
      ask: (params) => major[way](params),
      tools: { approve: ['refund'] },
    });
    t.deepEqual(under.effects, []);
    const { pending } = await under.execution.handle.approvals();
    t.like(pending[0], { step: 'approve refund' });
    t.regex(JSON.stringify(pending), /"tool":"refund","input":\{"order":"A-1"\}/);
    await under.execution.approve();
    t.is(await end(t, under), 'Refunded.');
    t.deepEqual(under.effects, ['refund A-1']);
    t.is(under.provider.asked.length, 2);
    const names = ['model', 'approve refund', 'refund', 'model#2', 'sleep'];
    t.deepEqual(await under.names(), names);
  });
}

withEachMajor('the model reads why a call was rejected', async (t, major) => {
  const under = await runAgent(t, major, {
    answer: inTurn(REFUND, 'Sorry.'),
    tools: { approve: ({ toolName }) => toolName === 'refund' },
  });
  await under.execution.handle.reject({ comment: 'too much' });
  await under.runtime.settle();
  t.is(await end(t, under), 'Sorry.');
  t.regex(told(under), /rejected the call: too much$/);
  t.deepEqual(under.effects, []);
});

withEachMajor('a rejection is an error where the option says so', async (t, major) => {
  const under = await runAgent(t, major, {
    answer: inTurn(REFUND, 'Sorry.'),
    tools: { approve: ['refund'], onRejection: 'error', approvalTimeout: '1h' },
  });
  await under.runtime.advance('1h');
  t.is(await end(t, under), 'Sorry.');
  t.regex(told(under), /Nobody approved the call in time$/);
  t.deepEqual(under.effects, []);
});

withEachMajor('needsApproval of a tool waits in the function', async (t, major) => {
  for (const needsApproval of [true, async () => true]) {
    const under = await runAgent(t, major, {
      answer: inTurn(REFUND, 'Refunded.'),
      needsApproval,
    });
    t.deepEqual(under.effects, []);
    await under.execution.approve();
    t.is(await end(t, under), 'Refunded.');
    t.deepEqual(under.effects, ['refund A-1']);
  }
});

withEachMajor('a rule of the tool that is not met lets the call pass', async (t, major) => {
  let asked = 0;
  const under = await runAgent(t, major, {
    answer: inTurn(REFUND, 'Refunded.'),
    needsApproval: async () => {
      asked += 1;
      return false;
    },
  });
  t.is(await end(t, under), 'Refunded.');
  t.is(asked, 1);
  t.deepEqual(await under.names(), ['model', 'check refund', 'refund', 'model#2', 'sleep']);
});

withEachMajor('a tool that fails is retried, and then the model reads it', async (t, major) => {
  const under = await runAgent(t, major, {
    answer: inTurn([...WEATHER, ...REFUND], 'No weather.'),
    act: (tool) => {
      if (tool === 'weather') throw new Error('the station is silent');
      return 'text';
    },
    tools: {
      step: (tool) => ({ retry: { maxAttempts: tool === 'weather' ? 2 : 5, initialInterval: 1 } }),
    },
  });
  await under.runtime.advance('1d');
  t.is((await under.execution.result()).text, 'No weather.');
  t.regex(told(under), /^(.*the station is silent\n){2}text$/);
  t.is(under.effects.length, 5);
  // The attempts of a step share the key.
  t.is(new Set(under.keys).size, 3);
  t.is(under.provider.asked.length, 2);
});

withEachMajor('the last value of a tool that yields is the result', async (t, major) => {
  const under = await runAgent(t, major, {
    answer: inTurn([{ tool: 'count', input: { to: 3 } }], 'Counted.'),
  });
  t.is(await end(t, under), 'Counted.');
  t.is(told(under), '{"at":3}');
});
