import test, { type ExecutionContext } from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { addFact } from '../../../../src/shared/engine/memory/add-fact.ts';
import { changeMemorySettings } from '../../../../src/shared/engine/memory/change-memory-settings.ts';
import { createRecaller } from '../../../../src/shared/engine/memory/recaller.ts';
import { saveMemorySettings } from '../../../../src/shared/engine/memory/save-memory-settings.ts';
import { createMemoryRetrievalRunner } from '../../../../src/shared/nodes/memory-retrieval/run.ts';
import {
  PROVIDER_WORDS,
  startEmbeddingProvider,
} from '../../../support/servers/embedding-provider.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestMemory } from '../../../support/memory.ts';
import { openTestStore } from '../../../support/stores.ts';
import { nodeProblems } from '../enter.ts';

const ELSEWHERE = 'elsewhere' as TenantId;

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite') {
  const provider = await startEmbeddingProvider();
  const { store, close } = await openTestStore(dialect);
  const ids = { uuid: () => crypto.randomUUID() };
  const memory = openTestMemory({ store: store.memory, ids, embeddingBaseUrl: provider.url });
  t.teardown(async () => {
    await memory.close();
    await close();
    await provider.close();
  });
  const runner = createMemoryRetrievalRunner({ memory: createRecaller(memory) });
  const svc = openTestEngine({ store, runners: new Map([['memory_retrieval', runner]]) });
  const actorId = 'token:t';
  const save = (apiKey: string, tenantId: TenantId = TENANT) =>
    saveMemorySettings(
      memory,
      { tenantId, actorId },
      { provider: 'openai', apiKey, enabled: true },
    );
  const add = (content: string, scope: JsonObject = {}, tenantId: TenantId = TENANT) =>
    addFact(
      memory,
      { tenantId, actorId },
      {
        content,
        metadata: { from: 'test' },
        ingestionKey: null,
        agentId: null,
        endUserId: null,
        ...scope,
      },
    );
  const run = async (kind: JsonObject, input: JsonObject, retry_policy: unknown = 'no_retry') => {
    const node = { kind: { type: 'memory_retrieval', ...kind }, output_key: 'found', retry_policy };
    const executionId = await svc.start({ nodes: { a: node } } as JsonObject, input);
    await svc.settle();
    const of = { tenantId: TENANT, executionId };
    const { row, state } = await svc.engine.readExecution(of);
    const { events } = await svc.engine.readEvents({ ...of, after: 0, limit: null });
    const failed = events.findLast((event) => event.kind === 'NodeFailed')?.payload as JsonObject;
    return { status: row.status, data: state.data, failed: failed ?? {}, events };
  };
  return { save, add, run, memory };
}

const contents = (data: JsonObject) =>
  (data['found'] as { readonly facts: readonly JsonObject[] }).facts.map(({ content }) => content);

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: facts of the tenant are recalled, the nearest first, by scope`, async (t) => {
    const { save, add, run } = await open(t, dialect);
    await save('sk-good');
    await save('sk-good', ELSEWHERE);
    await add('red apples are sweet');
    await add('blue cars are fast');
    await add('red apples of ann', { endUserId: 'ann' });
    await add('red apples of bob', { endUserId: 'bob' });
    await add('red apples are elsewhere', {}, ELSEWHERE);
    const query_expr = 'state.question + "?"';
    const question = 'red apples';
    const anyone = await run({ query_expr }, { question });
    t.is(anyone.status, 'completed');
    t.deepEqual(contents(anyone.data), ['red apples are sweet', 'blue cars are fast']);
    const ofAnn = await run({ query_expr, end_user_id: '$.who', k: 2 }, { question, who: 'ann' });
    t.deepEqual(contents(ofAnn.data), ['red apples of ann', 'red apples are sweet']);
    const { facts } = ofAnn.data['found'] as { readonly facts: readonly JsonObject[] };
    t.deepEqual(Object.keys(facts[0] ?? {}).toSorted(), [
      'agent_id',
      'content',
      'created_at',
      'end_user_id',
      'id',
      'metadata',
      'similarity',
    ]);
  });
}

test('the provider’s answer to a query is classified, in our words', async (t) => {
  const { save, run } = await open(t);
  const ask = async (key: string) => {
    await save(key);
    return (await run({ query_expr: '$.q' }, { q: 'x' })).failed;
  };
  for (const [key, error_class, retryable] of [
    ['sk-invalid', 'unauthorized', false],
    ['sk-refused', 'invalid_input', false],
    ['sk-broken', 'unreachable', false],
    ['sk-limited', 'rate_limited', true],
  ] as const) {
    const failed = await ask(key);
    t.like(failed, { error_class, retryable }, key);
    t.false(JSON.stringify(failed).includes(PROVIDER_WORDS));
    t.false(JSON.stringify(failed).includes(key));
    if (key === 'sk-limited') t.is(failed['retry_delay_ms'], 7_000);
  }
});

test('memory that is off, or has no key, fails the node permanently', async (t) => {
  const { memory, save, run } = await open(t);
  const retry = { max_attempts: 3, initial_delay: 0 };
  const without = await run({ query_expr: '$.q' }, { q: 'x' }, retry);
  t.like(without.failed, { error_class: 'unauthorized', attempt: 0 });
  await save('sk-good');
  const caller = { tenantId: TENANT, actorId: 'token:t' };
  await changeMemorySettings(memory, caller, { enabled: false });
  const off = await run({ query_expr: '$.q' }, { q: 'x' }, retry);
  t.like(off.failed, { error_class: 'unauthorized', attempt: 0 });
});

test('a query that is no text fails the node when it is entered', async (t) => {
  const { run } = await open(t);
  t.like((await run({ query_expr: '$.q' }, { q: 3 })).failed, { error_class: 'invalid_value' });
  t.like((await run({ query_expr: '$.q' }, {})).failed, { error_class: 'invalid_value' });
});

test('a configuration that cannot work is refused at registration, at its place', (t) => {
  const problems = (kind: JsonObject) =>
    nodeProblems({ kind: { type: 'memory_retrieval', ...kind } });
  t.deepEqual(problems({ query_expr: 'state.q', connector_ref: 'memory' }), []);
  t.deepEqual(problems({}), ['/kind/query_expr: missing query_expr']);
  t.deepEqual(problems({ query_expr: '$.q', connector_ref: 'pinecone', k: 0 }), [
    '/kind/connector_ref: must be one of memory, default: there is no other memory',
    '/kind/k: must be a whole number from 1 to 100',
  ]);
  t.regex(problems({ query_expr: 'state.q +' })[0] ?? '', /^\/kind\/query_expr: /);
});
