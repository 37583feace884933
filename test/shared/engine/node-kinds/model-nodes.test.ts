import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';

import { createModelClient } from '../../../../src/shared/clients/models/create-model-client.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { LIST_PRICES } from '../../../../src/shared/domain/models/prices.ts';
import { createCpu } from '../../../../src/scheduler/pool/pool.ts';
import { createModelRunner } from '../../../../src/shared/nodes/model/run.ts';
import type { NodeOutcome, NodeRunner } from '../../../../src/shared/nodes/run.ts';
import { createGuardedFetch } from '../../../../src/shared/security/guarded-fetch.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import {
  MODEL_PROVIDER_WORDS,
  startFakeModelProvider,
  type FakeModelProvider,
} from '../../../support/servers/fake-model-provider.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Nodes of kind `model` in an engine with a real store, against a provider's API on loopback. */

const KEY = 'sk-engine-key-0123456789';
const DONE: NodeOutcome = { ok: true, output: {}, statePatch: {} };
const AT_ONCE = { max_attempts: 3, initial_delay: 0, backoff: 'fixed', jitter: false };
const ASK = { type: 'model', model: { provider: 'openai', model: 'gpt-5-mini' }, prompt: 'Hi' };

function openEngine(store: Store, provider: FakeModelProvider) {
  const cpu = createCpu({ threads: 1 });
  const fetch = createGuardedFetch({ allowPrivate: true });
  const client = createModelClient({
    settings: {
      findProvider: (name) => ({
        apiKey: KEY,
        baseUrl: (provider.baseUrls as Readonly<Record<string, string>>)[name] ?? null,
      }),
      allowedBaseUrls: [],
    },
    prices: LIST_PRICES,
    cpu,
    trustedFetch: fetch,
    guardedFetch: createGuardedFetch({ allowPrivate: false }),
    now: Date.now,
  });
  // Each reading of the clock is 300 ms after the previous one.
  let clock = 0;
  const now = () => (clock += 300);
  const runner = createModelRunner({ models: client, now });
  const runners = new Map([['model', runner]]);
  return { ...openTestEngine({ store, cpu, runners }), runner, closeCpu: () => cpu.close() };
}

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite') {
  const provider = await startFakeModelProvider();
  const { store, age, close } = await openTestStore(dialect);
  const engine = openEngine(store, provider);
  t.teardown(async () => {
    await engine.closeCpu();
    await close();
    await provider.close();
  });
  const read = async (executionId: Awaited<ReturnType<typeof engine.start>>) => {
    const of = { tenantId: TENANT, executionId };
    const { events } = await engine.engine.readEvents({ ...of, after: 0, limit: null });
    const view = await engine.engine.readExecution(of);
    const execution = { status: view.state.status, state: view.state.data };
    const of1 = (kind: string) =>
      events.filter((event) => event.kind === kind).map(({ payload }) => payload as JsonObject);
    return { events, execution, payloads: of1 };
  };
  return { provider, age, read, ...engine };
}

const node = (fields: JsonObject = {}, more: JsonObject = {}) => ({
  nodes: { ask: { kind: { ...ASK, ...fields }, retry_policy: AT_ONCE, ...more } },
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: an answer goes into output, state and usage`, async (t) => {
    const svc = await open(t, dialect);
    svc.provider.answer('gpt-5-mini', { text: 'Hello!', inputTokens: 1000, outputTokens: 100 });
    const id = await svc.start(node({}, { output_key: 'answer' }), { topic: 'x' });
    await svc.settle();
    const { execution, payloads } = await svc.read(id);
    t.is(execution.status, 'completed');
    const { last_model_output, last_model_finish_reason, last_model_tool_calls, answer } =
      execution.state;
    t.is(last_model_output, 'Hello!');
    t.is(last_model_finish_reason, 'stop');
    t.deepEqual(last_model_tool_calls, []);
    const model = 'gpt-5-mini-2026-01-01';
    const cost_usd = 0.00045;
    t.deepEqual(answer, {
      text: 'Hello!',
      tool_calls: [],
      finish_reason: 'stop',
      usage: { input_tokens: 1000, output_tokens: 100, cost_usd },
      model,
    });
    t.deepEqual(payloads('NodeCompleted')[0]?.['usage'], {
      input_tokens: 1000,
      output_tokens: 100,
      cost_usd,
      model,
      finish_reason: 'stop',
    });
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: streamed text is on record in batches, before the answer is`, async (t) => {
    const svc = await open(t, dialect);
    const text = 'The quick brown fox jumps over the lazy dog.';
    svc.provider.answer('gpt-5-mini', { text });
    const id = await svc.start(node({ stream: true }));
    await svc.settle();
    const { payloads, events } = await svc.read(id);
    const told = payloads('NodeProgress');
    t.true(told.length > 2 && told.length < 9);
    t.true(told.every(({ name, kept }) => name === 'model_output' && kept === false));
    const data = told.map((event) => event['data'] as { text: string; index: number });
    t.is(data.map((batch) => batch.text).join(''), text);
    t.deepEqual(
      data.map(({ index }) => index),
      data.map((_, index) => index),
    );
    t.is(events.at(-2)?.kind, 'NodeCompleted');
  });
}

test('an object replaces the one before, with all of its members', async (t) => {
  const svc = await open(t);
  const schema = { type: 'object' };
  svc.provider.answer('first', { text: '{"a":{"x":1,"y":2},"b":1}' });
  svc.provider.answer('second', { text: '{"a":{"x":3},"c":null}' });
  const kind = (model: string) => ({
    kind: { ...ASK, model: { provider: 'openai', model }, output_schema: schema },
  });
  const id = await svc.start({
    start_node: 'one',
    nodes: { one: kind('first'), two: kind('second') },
    edges: [{ from: 'one', to: 'two' }],
  });
  await svc.settle();
  const { execution, payloads } = await svc.read(id);
  t.deepEqual(execution.state['last_model_output'], { a: { x: 3 } });
  t.like(payloads('NodeCompleted')[1]?.['output'], { object: { a: { x: 3 }, c: null } });
});

test('a call that the model asks for can be routed on, and its result told', async (t) => {
  const svc = await open(t);
  const input = '{"place":"Riga"}';
  svc.provider.answer('gpt-5-mini', ({ body }) =>
    JSON.stringify(body['messages']).includes('tool_call_id')
      ? { text: 'It is cold.' }
      : { toolCalls: [{ id: 'call_1', name: 'weather', input }] },
  );
  const said = [{ role: 'user', content: 'How is the weather?' }];
  const tools = [{ name: 'weather' }];
  const id = await svc.start(
    {
      start_node: 'ask',
      nodes: {
        ask: { kind: { type: 'model', model: ASK.model, messages: '$.said', tools } },
        route: {
          kind: {
            type: 'condition',
            branches: [
              { condition: 'state.last_model_tool_calls', target: 'weather' },
              { target: 'end' },
            ],
          },
        },
        weather: {
          kind: {
            type: 'pass',
            output: {
              said: [
                { role: 'user', content: 'How is the weather?' },
                { role: 'assistant', tool_calls: '$.last_model_tool_calls' },
                {
                  role: 'tool',
                  tool_call_id: '$.last_model_tool_calls[0].id',
                  name: 'weather',
                  content: { celsius: { literal: 3 } },
                },
              ],
            },
          },
        },
      },
      edges: [
        { from: 'ask', to: 'route' },
        { from: 'weather', to: 'ask' },
      ],
    },
    { said },
  );
  await svc.settle();
  const { execution } = await svc.read(id);
  t.is(execution.status, 'completed');
  t.is(execution.state['last_model_output'], 'It is cold.');
  t.deepEqual(execution.state['last_model_tool_calls'], []);
});

test('a map asks for each item, and leaves the state to the map', async (t) => {
  const svc = await open(t);
  svc.provider.answer('gpt-5-mini', ({ body }) => ({
    text: `re: ${(body['messages'] as { content: string }[]).at(-1)?.content}`,
  }));
  const body = { kind: { ...ASK, prompt: '{{ input.item }}' } };
  const id = await svc.start({
    nodes: { all: { kind: { type: 'map', items: ['a', 'b'], node: body }, output_key: 'all' } },
  });
  await svc.settle();
  const { execution } = await svc.read(id);
  t.deepEqual(
    (execution.state['all'] as { text: string }[]).map(({ text }) => text),
    ['re: a', 're: b'],
  );
  t.is(execution.state['last_model_output'], undefined);
});

test('an answer that does not satisfy the schema is asked for again, and both are paid', async (t) => {
  const svc = await open(t);
  let asked = 0;
  svc.provider.answer('gpt-5-mini', () => ({ text: (asked += 1) === 1 ? 'Sure!' : '{"a":1}' }));
  const output_schema = { type: 'object', required: ['a'] };
  const id = await svc.start(node({ output_schema }));
  await svc.settle();
  const { execution, payloads } = await svc.read(id);
  t.is(execution.status, 'completed');
  t.like(payloads('NodeFailed')[0], {
    error_class: 'invalid_response',
    retryable: true,
    usage: { input_tokens: 11, output_tokens: 7, model: 'gpt-5-mini' },
  });
});

test('a rate limit is waited out without counting, and nothing else is asked meanwhile', async (t) => {
  const svc = await open(t);
  svc.provider.answer('gpt-5-mini', { status: 429, headers: { 'retry-after': '7' } });
  const id = await svc.start(node());
  await svc.settle();
  const { execution, payloads } = await svc.read(id);
  t.is(execution.status, 'running');
  t.like(payloads('NodeFailed')[0], {
    error_class: 'rate_limited',
    retry_delay_ms: 7000,
    counted: false,
  });
  t.is(svc.provider.requests.length, 1);
  svc.provider.answer('gpt-5-mini', { text: 'Now.' });
  await svc.age({ table: 'retry_timers', columns: ['due_at'], byMs: 8_000 });
  await svc.settle();
  t.is((await svc.read(id)).execution.state['last_model_output'], 'Now.');
});

for (const [status, errorClass, requests] of [
  [401, 'unauthorized', 1],
  [400, 'http_4xx', 1],
  [500, 'http_5xx', 3],
] as const) {
  test(`${status}: ${errorClass} after ${requests} requests, in our words alone`, async (t) => {
    const svc = await open(t);
    svc.provider.answer('gpt-5-mini', { status });
    const id = await svc.start(node());
    await svc.settle();
    const { execution, payloads, events } = await svc.read(id);
    t.is(execution.status, 'failed');
    t.is(payloads('NodeFailed').at(-1)?.['error_class'], errorClass);
    t.is(svc.provider.requests.length, requests);
    const keys = new Set(svc.provider.requests.map(({ headers }) => headers['idempotency-key']));
    t.is(keys.size, 1);
    const written = JSON.stringify([events, execution, svc.troubles]);
    for (const words of [KEY, MODEL_PROVIDER_WORDS]) t.false(written.includes(words));
  });
}

test('prompts are not written into events of themselves', async (t) => {
  const svc = await open(t);
  const id = await svc.start(node({ prompt: 'a-prompt-of-its-own {{ state.x }}' }), { x: 1 });
  await svc.settle();
  t.false(JSON.stringify((await svc.read(id)).events).includes('a-prompt-of-its-own'));
});

test('a data policy that retains prompts has them recorded before anybody is asked', async (t) => {
  const svc = await open(t);
  svc.provider.answer('gpt-5-mini', { status: 400 });
  const fields = { prompt: 'Hi {{ state.x }}', system_prompt: 'Be brief.', tools: [{ name: 'a' }] };
  const ir = { ...node(fields), data_policy: { retain_prompts: true } };
  const id = await svc.start(ir, { x: 1 });
  await svc.settle();
  const { payloads } = await svc.read(id);
  t.like(payloads('NodeProgress')[0], {
    name: 'model_input',
    data: { system: 'Be brief.', messages: [{ role: 'user', content: 'Hi 1' }], tools: ['a'] },
    kept: false,
  });
});

test('a model that no policy allows is not asked, a tool that one blocks not offered', async (t) => {
  const svc = await open(t);
  const refused = await svc.start(node({}, { policy: { model_allowlist: ['anthropic/*'] } }));
  await svc.settle();
  const failed = await svc.read(refused);
  t.is(failed.execution.status, 'failed');
  t.is(failed.payloads('NodeFailed')[0]?.['error_class'], 'policy_violation');
  t.is(svc.provider.requests.length, 0);

  const tools = [{ name: 'look' }, { name: 'delete_all' }];
  const policy = { model_allowlist: ['openai/gpt-5*'], blocked_tools: ['delete_*'] };
  await svc.start(node({ tools }, { policy }));
  await svc.settle();
  const offered = svc.provider.requests[0]?.body['tools'] as { function: { name: string } }[];
  t.deepEqual(
    offered.map((tool) => tool.function.name),
    ['look'],
  );
});

test('an address of the workflow gets no key and no private network is called', async (t) => {
  const svc = await open(t);
  const base_url = svc.provider.baseUrls.anthropic;
  const id = await svc.start(node({ model: { ...ASK.model, base_url } }));
  await svc.settle();
  const { payloads } = await svc.read(id);
  t.like(payloads('NodeFailed')[0], { error_class: 'refused_address', retryable: false });
  t.is(svc.provider.requests.length, 0);
});

/*
 * The runner of a dying process never returns: its engine stops, its lease lapses, and another
 * engine on the same store takes the item.
 */
for (const dialect of ['sqlite', 'postgres'] as const) {
  const dying = async (t: ExecutionContext, runs: (real: NodeRunner) => NodeRunner['run']) => {
    const svc = await open(t, dialect);
    const other = openEngine(svc.store, svc.provider);
    t.teardown(() => other.closeCpu());
    const reached = Promise.withResolvers<void>();
    const run = runs(other.runner);
    const runners = new Map<string, NodeRunner>([
      [
        'model',
        {
          async run(call) {
            await run(call);
            reached.resolve();
            return new Promise(() => undefined);
          },
        },
      ],
    ]);
    const first = openTestEngine({ store: svc.store, runners });
    const id = await first.start(node());
    await first.turn();
    await reached.promise;
    await svc.age({ table: 'work_leases', columns: ['expires_at'], byMs: 31_000 });
    await other.settle();
    const { execution, payloads } = await svc.read(id);
    t.is(execution.status, 'completed');
    t.is(payloads('NodeCompleted').length, 1);
    const keys = svc.provider.requests.map(({ headers }) => headers['idempotency-key']);
    for (const key of keys) t.is(key, payloads('NodeScheduled')[0]?.['idempotency_key'] as string);
    return { svc, other, id, asked: keys.length };
  };

  test(`${dialect}: a process that dies before it asks: the next one asks`, async (t) => {
    const { asked } = await dying(t, () => async () => DONE);
    t.is(asked, 1);
  });

  test(`${dialect}: a process that dies with the answer: the next asks with the same key`, async (t) => {
    const { asked } = await dying(t, (real) => (call) => real.run(call));
    t.is(asked, 2);
  });

  test(`${dialect}: an answer that is on record is not asked for again`, async (t) => {
    const { svc, other, id, asked } = await dying(t, () => async () => DONE);
    const third = openEngine(svc.store, svc.provider);
    t.teardown(() => third.closeCpu());
    await svc.age({ table: 'work_leases', columns: ['expires_at'], byMs: 60_000 });
    await third.settle();
    await other.settle();
    t.is(svc.provider.requests.length, asked);
    t.is((await svc.read(id)).payloads('NodeCompleted').length, 1);
  });
}

test('an answer that comes after another process has taken over changes nothing', async (t) => {
  const svc = await open(t);
  const other = openEngine(svc.store, svc.provider);
  t.teardown(() => other.closeCpu());
  const held = Promise.withResolvers<{ readonly text: string }>();
  const asked = Promise.withResolvers<void>();
  svc.provider.answer('gpt-5-mini', () => {
    if (svc.provider.requests.length > 1) return { text: 'again' };
    asked.resolve();
    return held.promise;
  });
  const id = await svc.start(node());
  await svc.turn();
  await asked.promise;
  await svc.age({ table: 'work_leases', columns: ['expires_at'], byMs: 31_000 });
  await other.settle();
  t.is((await svc.read(id)).execution.status, 'completed');
  held.resolve({ text: 'too late' });
  await svc.settle();
  const { execution, payloads } = await svc.read(id);
  t.is(execution.state['last_model_output'], 'again');
  t.is(payloads('NodeCompleted').length, 1);
});

test('examples/workflows/model.json sorts a message', async (t) => {
  const svc = await open(t);
  const file = new URL('../../../../examples/workflows/model.json', import.meta.url);
  const { workflow_id: _, ...ir } = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
  svc.provider.answer('gpt-5-mini', { text: '{"team":"billing","urgent":true}' });
  const id = await svc.start(ir, { message: 'I was charged twice, and the second time wrongly!' });
  await svc.settle();
  const { execution } = await svc.read(id);
  t.is(execution.status, 'completed');
  t.is(execution.state['handled_by'], 'a person, now');
  const sent = JSON.stringify(svc.provider.requests[0]?.body);
  t.true(sent.includes('I was charged twice') && sent.includes('You sort messages of customers.'));
});
