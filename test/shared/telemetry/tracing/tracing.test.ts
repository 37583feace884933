import test, { type ExecutionContext } from 'ava';

import type { ExecutionId, TenantId, WorkItemId } from '../../../../src/shared/domain/ids.ts';
import type { RecordedEvent } from '../../../../src/shared/domain/execution/event.ts';
import type { AttemptReport, EndReport } from '../../../../src/shared/engine/report.ts';
import { createTracing } from '../../../../src/shared/telemetry/tracing/tracing.ts';
import { eventually } from '../../../support/eventually.ts';
import { startOtlpCollector } from '../../../support/servers/otlp-collector.ts';

const ONE = 'exec_0198c0de00007000a000000000000001' as ExecutionId;
const CHILD = 'exec_0198c0de00007000a000000000000002' as ExecutionId;
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

const ATTEMPT: AttemptReport = {
  executionId: ONE,
  tenantId: 'acme' as TenantId,
  workItemId: 'item-1' as WorkItemId,
  workflowId: 'w',
  nodeId: 'a',
  visit: 0,
  attempt: 0,
  nodeKind: 'python_fn',
  tool: 'm.f',
  model: null,
  workerId: 'w1',
  ms: 250,
  endedAt: '2026-11-21T10:00:01.000Z',
  error: null,
  usage: null,
};
const END: EndReport = {
  executionId: ONE,
  tenantId: 'acme' as TenantId,
  workflowId: 'w',
  status: 'completed',
  error: null,
  startedAt: '2026-11-21T10:00:00.000Z',
  endedAt: '2026-11-21T10:00:02.000Z',
};

async function open(
  t: ExecutionContext,
  started: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { [ONE]: {} },
) {
  const collector = await startOtlpCollector();
  const counts = { exported: 0, dropped: 0 };
  const failures: unknown[] = [];
  const warnings: string[] = [];
  const readings: string[] = [];
  const costs: Record<string, number> = {};
  const tracing = createTracing({
    endpoint: collector.url,
    resource: { 'service.name': 'svc', 'service.version': '1.2.3' },
    now: () => Date.parse('2026-11-21T10:00:05.000Z'),
    history: {
      events: async ({ executionId }) => {
        readings.push(executionId);
        if (started[executionId] === undefined) return [];
        const payload = { workflow_id: 'w', definition_id: 'def_1', ...started[executionId] };
        return [{ kind: 'WorkflowStarted', nodeId: null, payload, sequence: 1 } as RecordedEvent];
      },
    },
    onSpans: (count, outcome) => void (counts[outcome] += count),
    onFailure: (error) => void failures.push(error),
    onWarning: (warning) => void warnings.push(warning),
    costOf: async ({ executionId }) => costs[executionId] ?? 0,
    shownError: async ({ definitionId, nodeId, error }) =>
      error.replaceAll('4111111111111111', `[hidden by ${definitionId} for ${nodeId}]`),
  });
  t.teardown(async () => {
    await tracing.close();
    await collector.close();
  });
  const span = (name: string) => collector.spans.find((one) => one.name === name);
  return { tracing, collector, counts, failures, warnings, readings, costs, span };
}

test('steps of a durable function are spans of their attempt, with errors as readers see them', async (t) => {
  const { tracing, span } = await open(t);
  const startedAt = '2026-11-21T10:00:00.500Z';
  const ran = { kind: 'step', attempts: 1, startedAt, ms: 120, error: null, usage: null };
  const error = { type: 'Declined', message: 'card 4111111111111111' };
  const usage = { input_tokens: 7, output_tokens: 2, cost_usd: 0.5, model: 'm-1' };
  tracing.steps({
    ...ATTEMPT,
    steps: [
      { ...ran, identity: 'charge' },
      { ...ran, identity: 'items[3]/ship', attempts: 3, error },
      { ...ran, identity: 'model', usage },
    ],
  });
  tracing.attempt(ATTEMPT);
  await tracing.close();
  const [attempt, charge, ship, model] = [
    'node.a',
    'step.charge',
    'step.items[3]/ship',
    'step.model',
  ]
    .map((name) => `svc.${name}`)
    .map(span);
  t.is(charge?.parentSpanId, attempt?.spanId);
  t.is(charge?.traceId, attempt?.traceId);
  t.not(charge?.spanId, ship?.spanId);
  t.like(charge?.attributes, { 'svc.step.kind': 'step', 'svc.step.attempts': 1 });
  t.like(ship?.attributes, { 'svc.step.name': 'items[3]/ship', 'svc.step.attempts': 3 });
  t.like(model?.attributes, {
    'gen_ai.request.model': 'm-1',
    'gen_ai.usage.input_tokens': 7,
    'gen_ai.usage.output_tokens': 2,
    'svc.cost.usd': 0.5,
  });
  t.regex(JSON.stringify(ship), /hidden by def_1 for a/);
});

test('the span of an execution says what its models cost, where they cost anything', async (t) => {
  for (const [cost, shown] of [
    [0.25, 0.25],
    [0, undefined],
  ] as const) {
    const { tracing, span, costs } = await open(t);
    costs[ONE] = cost;
    tracing.ended(END);
    await tracing.close();
    t.is(span('svc.execution')?.attributes['svc.cost.usd'], shown);
  }
});

test('an execution that nobody put into a trace has one by its own id', async (t) => {
  const { tracing, collector, span, counts } = await open(t);
  tracing.attempt(ATTEMPT);
  tracing.ended(END);
  await tracing.close();
  const [execution, node, tool] = ['svc.execution', 'svc.node.a', 'svc.tool.m.f'].map(span);
  t.like(execution, { traceId: ONE.slice('exec_'.length), parentSpanId: null, kind: 1 });
  t.like(node, { traceId: execution?.traceId, parentSpanId: execution?.spanId, kind: 1 });
  t.like(tool, { traceId: execution?.traceId, parentSpanId: node?.spanId, kind: 3 });
  t.is((execution?.endMs ?? 0) - (execution?.startMs ?? 0), 2_000);
  t.is((node?.endMs ?? 0) - (node?.startMs ?? 0), 250);
  t.like(execution?.attributes, { 'svc.execution.id': ONE, 'svc.workflow.id': 'w' });
  t.like(node?.attributes, { 'svc.node.kind': 'python_fn', 'svc.worker.id': 'w1' });
  t.deepEqual(collector.problems, []);
  t.deepEqual(counts, { exported: 3, dropped: 0 });
});

test('the first event is read once, and only for exported executions', async (t) => {
  const { tracing, readings } = await open(t);
  for (const attempt of [0, 1, 2]) tracing.attempt({ ...ATTEMPT, attempt });
  tracing.ended(END);
  await tracing.close();
  t.deepEqual(readings, [ONE]);
});

test('a child belongs to the trace of its parent, and that to its caller’s', async (t) => {
  const { tracing, collector } = await open(t, {
    [ONE]: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` },
    [CHILD]: { parent_execution_id: ONE },
  });
  tracing.ended({ ...END, executionId: CHILD });
  tracing.ended(END);
  await tracing.close();
  const [child, parent] = collector.spans;
  t.like(parent, { traceId: CALLER.traceId, parentSpanId: CALLER.spanId });
  t.like(child, { traceId: CALLER.traceId, parentSpanId: parent?.spanId });
});

test('a trace that the caller does not sample is not exported, and says so to workers', async (t) => {
  const { tracing, collector } = await open(t, {
    [ONE]: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-00` },
  });
  tracing.ended(END);
  t.regex(
    (await tracing.traceparentOf(ATTEMPT)) ?? '',
    /^00-0af7651916cd43dd8448eb211c80319c-\w{16}-00$/,
  );
  await tracing.close();
  t.deepEqual(collector.asked, []);
});

test('a failure has its status, its message and an event, and a model its use', async (t) => {
  const { tracing, span } = await open(t);
  tracing.attempt({
    ...ATTEMPT,
    nodeKind: 'model',
    tool: null,
    model: { name: 'gpt-5-mini', provider: 'openai' },
    endedAt: null,
    error: { type: 'rate_limit', message: 'x'.repeat(5_000) },
    usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.25, finishReason: 'stop' },
  });
  tracing.ended({ ...END, status: 'failed', error: 'node a failed' });
  await tracing.close();
  const model = span('svc.model.call');
  t.is(model?.endMs, Date.parse('2026-11-21T10:00:05.000Z'));
  t.like(model, { kind: 3, status: { code: 2 } });
  t.is(model?.status?.message.length, 1_001);
  const [exception] = model?.events ?? [];
  t.is(exception?.name, 'exception');
  t.is(exception?.attributes['exception.type'], 'rate_limit');
  t.is(exception?.attributes['exception.message'], model?.status?.message);
  t.like(model?.attributes, {
    'svc.model.name': 'gpt-5-mini',
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-5-mini',
    'gen_ai.usage.input_tokens': 3,
    'gen_ai.usage.output_tokens': 4,
    'svc.cost.usd': 0.25,
    'error.type': 'rate_limit',
  });
  t.deepEqual(model?.attributes['gen_ai.response.finish_reasons'], ['stop']);
  t.deepEqual(span('svc.execution')?.status, { code: 2, message: 'node a failed' });
});

test('values that data policies hide from readers are hidden from the collector', async (t) => {
  const { tracing, collector } = await open(t);
  const message = 'card 4111111111111111 is blocked';
  tracing.attempt({ ...ATTEMPT, error: { type: 'tool', message } });
  tracing.ended({ ...END, status: 'failed', error: message });
  await tracing.close();
  const told = collector.spans.map((span) => [
    span.name,
    span.status?.message,
    span.events[0]?.attributes['exception.message'],
  ]);
  const ofNode = 'card [hidden by def_1 for a] is blocked';
  const ofExecution = 'card [hidden by def_1 for null] is blocked';
  t.deepEqual(told, [
    ['svc.node.a', ofNode, ofNode],
    ['svc.tool.m.f', ofNode, ofNode],
    ['svc.execution', ofExecution, ofExecution],
  ]);
});

test('providers have the names that the conventions give them', async (t) => {
  const { tracing, collector } = await open(t);
  for (const provider of ['google', 'anthropic', null]) {
    tracing.attempt({ ...ATTEMPT, tool: null, model: { name: 'm', provider } });
  }
  await tracing.close();
  const names = collector.spans
    .filter((span) => span.name === 'svc.model.call')
    .map((span) => span.attributes['gen_ai.provider.name']);
  t.deepEqual(names, ['gcp.gemini', 'anthropic', undefined]);
});

test('a deleted execution holds up no existing one', async (t) => {
  const { tracing, collector, counts, failures } = await open(t);
  tracing.ended({ ...END, executionId: CHILD });
  tracing.ended(END);
  await tracing.close();
  t.is(collector.spans.length, 1);
  t.deepEqual(counts, { exported: 1, dropped: 1 });
  t.is(failures.length, 1);
});

test.serial('the environment says how it is sent, as OpenTelemetry specifies', async (t) => {
  const given = {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=abc',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,service.name=other',
  };
  Object.assign(process.env, given);
  t.teardown(() => {
    for (const name of Object.keys(given)) Reflect.deleteProperty(process.env, name);
  });
  const { tracing, collector, warnings } = await open(t);
  tracing.ended(END);
  await tracing.close();
  t.like(collector.asked[0], { 'x-api-key': 'abc', 'content-encoding': 'gzip' });
  t.like(collector.spans[0]?.process, {
    'deployment.environment.name': 'staging',
    'service.name': 'svc',
    'service.version': '1.2.3',
  });
  t.true(
    warnings.some((warning) => warning.includes('OTEL_EXPORTER_OTLP_TIMEOUT')),
    warnings.join(),
  );
  t.false(warnings.join().includes('abc'));
});

test('while the collector is away for a moment spans are sent again', async (t) => {
  const { tracing, collector, counts, failures } = await open(t);
  collector.reply.status = 503;
  tracing.ended(END);
  await eventually(async () => {
    if (collector.asked.length < 2) throw new Error('it was asked once');
  });
  collector.reply.status = 200;
  await tracing.close();
  t.deepEqual(counts, { exported: 1, dropped: 0 });
  t.is(collector.spans.length, 1);
  t.is(failures.length, 0);
});

test('spans that the collector can never take, or beyond the bound, are dropped', async (t) => {
  const { tracing, collector, counts, failures } = await open(t);
  collector.reply.status = 400;
  for (let count = 0; count < 5_000; count += 1) tracing.ended(END);
  await tracing.close();
  t.deepEqual(counts, { exported: 0, dropped: 5_000 });
  t.is(failures.length, 1);
  t.regex(String(failures[0]), /the collector answered 400/);
});

test('closing waits for a collector that hangs no longer than its bound', async (t) => {
  const { tracing, collector, counts } = await open(t);
  collector.reply.status = 503;
  tracing.ended(END);
  const begunAt = performance.now();
  await tracing.close();
  t.true(performance.now() - begunAt < 7_000);
  t.deepEqual(counts, { exported: 0, dropped: 1 });
});
