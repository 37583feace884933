import { replayHistory } from 'svc-sdk/testing';

import { runAgent, withEachMajor } from './support/agent-under-test.ts';
import { inTurn } from './support/fake-provider.ts';

const ONE_BRANCH = ['model', 'weather', 'model#2'];

for (const way of ['generate', 'loop', 'stream'] as const) {
  withEachMajor(`${way}: agents side by side have names of their own`, async (t, major) => {
    const under = await runAgent(t, major, {
      answer: inTurn([{ tool: 'weather', input: { city: 'Rome' } }], 'Done.'),
      ask: async (params) => {
        const answers = await params.ctx.map([0, 1, 2], () => major[way](params));
        const [first] = answers;
        if (first === undefined) throw new Error('there are three');
        return first;
      },
    });
    await under.runtime.advance('1d');
    t.is((await under.execution.result()).text, 'Done.');
    t.is(under.provider.asked.length, 6);
    t.deepEqual(
      (await under.names()).toSorted(),
      [
        ...[0, 1, 2].flatMap((at) => ONE_BRANCH.map((name) => `map[${at}]/${name}`)),
        'sleep',
      ].toSorted(),
    );
    await replayHistory(under.agent, await under.execution.events());
  });
}
