import { readFileSync } from 'node:fs';
import test from 'ava';

import { isJsonObject, type JsonObject } from '../../../src/shared/domain/json.ts';
import { startTestAgent, type TestAgent } from '../../support/servers/a2a-agent.ts';
import { onBothStores } from '../../support/both-stores.ts';

/* Tasks for A2A agents, in real processes. */

const TOKEN = 'the-token-of-the-translator';
const check = onBothStores({
  env: { SVC_AGENTS_ALLOW_PRIVATE_NETWORKS: 'true', SVC_SECRET_TRANSLATOR: TOKEN },
});

let agent: TestAgent;

const translator = () =>
  startTestAgent(
    (turn) => {
      const { to = null } = isJsonObject(turn.data) ? turn.data : {};
      if (to === null && turn.index === 0) {
        turn.become('TASK_STATE_INPUT_REQUIRED', 'Into which language?');
        return;
      }
      turn.artifact({
        text: `${turn.text} (${turn.index === 0 ? JSON.stringify(to) : turn.text})`,
      });
      turn.become('TASK_STATE_COMPLETED');
    },
    {
      card: (card) => ({
        ...card,
        skills: [{ id: 'translate', name: 'Translate', description: '', tags: [] }],
      }),
    },
  );
test.before(async () => {
  agent = await translator();
});
test.after.always(() => agent.close());

function example(name: string, url = agent.url): JsonObject {
  const file = new URL(`../../../examples/workflows/${name}.json`, import.meta.url);
  const text = readFileSync(file, 'utf8').replaceAll('https://translator.example', url);
  const { workflow_id: _, ...ir } = JSON.parse(text) as JsonObject;
  return ir;
}

check(
  'examples/workflows/a2a-task.json: a task is done once, with the secret it names',
  async (t, svc) => {
    const id = await svc.run(example('a2a-task'), { text: 'Hallo' });
    const { state } = await svc.until(id, 'completed');
    t.like(state['translation'], { text: 'Hallo ("en")', data: null });
    t.is(agent.headers.at(-1)?.authorization, `Bearer ${TOKEN}`);
    return svc.story(id);
  },
);

check('a task that asks waits for an event with its key', async (t, svc) => {
  const ir = example('a2a-task');
  const nodes = ir['nodes'] as Readonly<Record<string, JsonObject>>;
  const id = await svc.run(
    { ...ir, nodes: { translate: { ...nodes['translate'], input_mapping: '$.text' } } },
    { text: 'Hallo' },
  );
  const paused = await svc.until(id, 'paused');
  const key = paused.waiting_on[0]?.correlation_key ?? '';
  t.regex(key, /^a2a:/);
  await svc.post(`/executions/${id}/external-event`, { correlation_key: key, payload: 'en' });
  const { state } = await svc.until(id, 'completed');
  t.like(state['translation'], { text: 'en (en)' });
  return svc.story(id);
});

check('an agent that the policy blocks is not called', async (t, svc) => {
  const blocked = await translator();
  const ir = { ...example('a2a-task', blocked.url), policy: { blocked_tools: ['trans*'] } };
  const id = await svc.run(ir, { text: 'Hallo' });
  await svc.until(id, 'failed');
  t.deepEqual(blocked.headers, []);
  await blocked.close();
  return svc.story(id);
});
