import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import test from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { startTestAgent, type TestAgent } from '../../support/servers/a2a-agent.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startEmbeddingProvider } from '../../support/servers/embedding-provider.ts';
import { startRuntime } from '../../support/runtime.ts';
import { startProgram } from '../../support/processes.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';

/* Registered agents and memory in nodes, in real processes. */

const check = onBothStores({ env: { SVC_AGENTS_ALLOW_PRIVATE_NETWORKS: 'true' } });

let agent: TestAgent;
test.before(async () => {
  agent = await startTestAgent(
    (turn) => {
      turn.artifact({ text: turn.text.toUpperCase() });
      turn.become('TASK_STATE_COMPLETED');
    },
    {
      card: (card) => ({ ...card, skills: [{ id: 'translate', name: 'Translate' }] }),
    },
  );
});
test.after.always(() => agent.close());

function example(name: string): JsonObject {
  const file = new URL(`../../../examples/workflows/${name}.json`, import.meta.url);
  const { workflow_id: _, ...ir } = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
  return ir;
}

async function register(svc: TestTenant, id: string, card: JsonObject = {}): Promise<void> {
  const body = {
    id,
    name: id,
    uri: agent.url,
    capabilities: { protocols: ['a2a'], skills: ['translate'] },
    ...card,
  };
  expectStatus(await svc.post('/agents', body), 201);
  expectStatus(await svc.post(`/agents/${id}/activate`), 200);
}

check('examples/workflows/agent.json: an agent is found and does it', async (t, svc) => {
  await register(svc, 'translator', { trust: 0.9 });
  await register(svc, 'singer', { trust: 1, capabilities: { skills: ['sing'] } });
  const id = await svc.run(example('agent'), { text: 'hallo' });
  const { state } = await svc.until(id, 'completed');
  t.like(state['translation'], { text: 'HALLO' });
  return svc.story(id);
});

check('examples/workflows/coordinator.json: one is picked, and does it', async (t, svc) => {
  await register(svc, 'plain', { trust: 0.9 });
  const skills = ['translate', 'proofread'];
  await register(svc, 'careful', { trust: 0.8, capabilities: { protocols: ['a2a'], skills } });
  const id = await svc.run(example('coordinator'), { text: 'hallo' });
  const { state } = await svc.until(id, 'completed');
  t.like(state['picked'], { agent_id: 'careful', by: 'score' });
  t.like(state['translation'], { text: 'HALLO' });
  return svc.story(id);
});

check('examples/workflows/agent-discovery.json: those who can do it are listed', async (t, svc) => {
  const nobody = await svc.run(example('agent-discovery'));
  t.is((await svc.until(nobody, 'completed')).state['best'], undefined);
  await register(svc, 'low', { trust: 0.2 });
  await register(svc, 'high', { trust: 0.8 });
  const id = await svc.run(example('agent-discovery'));
  t.is((await svc.until(id, 'completed')).state['best'], 'high');
  return svc.story(id);
});

test('examples/workflows/memory-retrieval.json: a scheduler of its own recalls', async (t) => {
  t.timeout(120_000);
  const provider = await startEmbeddingProvider();
  const database = await createTestDatabase('postgres');
  const env = {
    SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SVC_MEMORY_EMBEDDING_BASE_URL: provider.url,
  };
  const api = await startRuntime({ entry: 'svc-api', databaseUrl: database.url, env });
  const scheduler = await startProgram({
    entry: 'svc-scheduler',
    args: ['--database-url', database.url],
    env: { SVC_TELEMETRY_METRICS_PORT: 'off', ...env },
  });
  t.teardown(async () => {
    await Promise.all([api.end('SIGTERM'), scheduler.end('SIGTERM')]);
    await database.drop();
    await provider.close();
  });
  const svc = await api.newTenant();
  const settings = { provider: 'openai', api_key: 'sk-good' };
  expectStatus(await svc.post('/v1/memory/settings', settings), 200);
  for (const [content, end_user_id] of [
    ['red apples are sweet', null],
    ['ann likes red apples', 'ann'],
    ['bob likes red apples', 'bob'],
  ]) {
    expectStatus(await svc.post('/v1/memory/add', { content, end_user_id }), 200);
  }
  const id = await svc.run(example('memory-retrieval'), {
    question: 'red apples',
    customer: 'ann',
  });
  const { state } = await svc.until(id, 'completed');
  const { facts } = state['remembered'] as { readonly facts: readonly JsonObject[] };
  const contents = facts.map(({ content }) => content);
  t.deepEqual(contents, ['ann likes red apples', 'red apples are sweet']);
  t.deepEqual(scheduler.stdout().match(/"level":"error".*/g), null);
});
