import test from 'ava';

import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startFakeModelProvider } from '../support/servers/fake-model-provider.ts';
import { startOtlpCollector, type CollectedSpan } from '../support/servers/otlp-collector.ts';
import type { Runtime } from '../support/runtime.ts';
import { expectStatus } from '../support/tenant.ts';
import { Cluster } from './cluster.ts';

/* The work of an API, a scheduler, a worker and a child for one request is one trace. */

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const CALL = { kind: 'python_fn', module: 'm', function: 'f' };

let database: TestDatabase;
let cluster: Cluster;
let api: Runtime;
let collector: Awaited<ReturnType<typeof startOtlpCollector>>;
let provider: Awaited<ReturnType<typeof startFakeModelProvider>>;

test.before(async (t) => {
  t.timeout(120_000);
  database = await createTestDatabase('postgres');
  collector = await startOtlpCollector();
  provider = await startFakeModelProvider();
  cluster = new Cluster(database.url, {
    env: {
      SVC_TELEMETRY_OTLP_ENDPOINT: collector.url,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: provider.baseUrls.openai,
    },
  });
  api = await cluster.startApi();
  await cluster.startScheduler();
});

test.after.always(async (t) => {
  await cluster?.stop();
  await collector?.close();
  await provider?.close();
  await database?.drop();
  t.deepEqual(api.errors(), []);
  t.deepEqual(collector.problems, []);
});

test('one request leads to one trace, through api, scheduler, worker and child', async (t) => {
  const svc = await api.newTenant();
  provider.answer('gpt-5-mini', { text: 'Hello', inputTokens: 11, outputTokens: 2 });
  const model = { type: 'model', model: { provider: 'openai', model: 'gpt-5-mini' }, prompt: 'Hi' };
  await svc.register({ workflow_id: 'inner', nodes: { ask: { kind: model } } });
  await svc.register({
    nodes: { load: CALL, nest: { kind: { type: 'subgraph', workflow_ref: 'inner' } } },
    edges: [{ from: 'load', to: 'nest' }],
  });
  const reply = await svc.post<{ execution_id: string }>(
    '/executions',
    { workflow_id: 'w', input: {} },
    { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` },
  );
  const { execution_id: id } = expectStatus(reply, 201);
  const item = await svc.work('load');
  await svc.until(id, 'completed');

  const spans = await collected(CALLER.traceId, 5);
  const named = (name: string) => spans.filter((span) => span.name === name);
  const outer = named('svc.execution').find((span) => span.attributes['svc.execution.id'] === id);
  const inner = named('svc.execution').find((span) => span !== outer);
  const [load] = named('svc.node.load');
  const [tool] = named('svc.tool.m.f');
  const [ask] = named('svc.node.ask');
  const [call] = named('svc.model.call');
  t.is(outer?.parentSpanId, CALLER.spanId);
  t.is(load?.parentSpanId, outer?.spanId);
  t.is(tool?.parentSpanId, load?.spanId);
  t.is(inner?.parentSpanId, outer?.spanId);
  t.is(ask?.parentSpanId, inner?.spanId);
  t.is(call?.parentSpanId, ask?.spanId);
  t.like(call?.attributes, {
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-5-mini',
    'gen_ai.usage.input_tokens': 11,
    'gen_ai.usage.output_tokens': 2,
  });
  // Spans of the worker itself belong under its attempt.
  t.is((item as { traceparent?: string }).traceparent, `00-${CALLER.traceId}-${load?.spanId}-01`);
  t.is(load?.process['svc.role'], 'api');
  t.is(ask?.process['svc.role'], 'scheduler');
  t.is(load?.process['service.name'], 'svc');
  for (const { startMs, endMs } of spans) t.true(startMs <= endMs);
});

test('each attempt has a span, and those that failed say why', async (t) => {
  const svc = await api.newTenant();
  const retry = { max_attempts: 2, backoff: 'fixed', initial_delay: '1ms', jitter: false };
  const id = await svc.run({ nodes: { a: { ...CALL, retry_policy: retry } } });
  await svc.breakDown('a', { error: 'no such table' });
  await svc.breakDown('a', { error: 'still none' });
  await svc.until(id, 'failed');
  const spans = await collected(id.slice('exec_'.length), 5);
  const attempts = spans
    .filter((span) => span.name === 'svc.node.a')
    .map((span) => [
      span.attributes['svc.node.attempt'],
      span.status?.message,
      span.events.map((event) => event.attributes['exception.message']),
    ]);
  t.deepEqual(
    attempts.toSorted(([one], [other]) => Number(one) - Number(other)),
    [
      [0, 'no such table', ['no such table']],
      [1, 'still none', ['still none']],
    ],
  );
  const execution = spans.find((span) => span.name === 'svc.execution');
  t.like(execution, { parentSpanId: null, status: { code: 2 } });
});

test('error messages respect the data policy of their workflow', async (t) => {
  const svc = await api.newTenant();
  const id = await svc.run({
    data_policy: { detectors: ['email'] },
    nodes: { a: { ...CALL, retry_policy: { max_attempts: 1 } } },
  });
  await svc.breakDown('a', { error: 'no account of ada@example.org' });
  await svc.until(id, 'failed');
  const spans = await collected(id.slice('exec_'.length), 3);
  t.is(spans.find((span) => span.name === 'svc.node.a')?.status?.message, 'no account of [email]');
  t.false(JSON.stringify(spans).includes('ada@'));
});

/** Waits until the trace has at least `count` spans, and the last of them has arrived. */
function collected(traceId: string, count: number): Promise<readonly CollectedSpan[]> {
  return eventually(async () => {
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    const isEnded = spans.some(
      ({ name, parentSpanId }) =>
        name === 'svc.execution' && (parentSpanId === null || parentSpanId === CALLER.spanId),
    );
    if (isEnded && spans.length >= count) return spans;
    throw new Error(`only ${spans.map(({ name }) => name).join(', ')} came`);
  });
}
