import test, { type ExecutionContext } from 'ava';

import type { ExecutionId, TenantId } from '../../../../src/shared/domain/ids.ts';
import type { RecordedEvent } from '../../../../src/shared/domain/execution/event.ts';
import type { AttemptReport, EndReport } from '../../../../src/shared/engine/deps.ts';
import { createTracing } from '../../../../src/shared/telemetry/tracing/tracing.ts';
import { eventually } from '../../../support/eventually.ts';
import { startOtlpCollector } from '../../../support/otlp-collector.ts';

const ONE = 'exec_0198c0de00007000a000000000000001' as ExecutionId;
const CHILD = 'exec_0198c0de00007000a000000000000002' as ExecutionId;
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

const ATTEMPT: AttemptReport = {
  executionId: ONE,
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
  const readings: string[] = [];
  const tracing = createTracing({
    endpoint: collector.url,
    resource: { 'service.name': 'svc', 'service.version': '1.2.3' },
    now: () => Date.parse('2026-11-21T10:00:05.000Z'),
    history: {
      events: async ({ executionId }) => {
        readings.push(executionId);
        const payload = { workflow_id: 'w', ...started[executionId] };
        return [{ kind: 'WorkflowStarted', nodeId: null, payload, sequence: 1 } as RecordedEvent];
      },
    },
    onSpans: (count, outcome) => void (counts[outcome] += count),
    onFailure: (error) => void failures.push(error),
  });
  t.teardown(async () => {
    await tracing.close();
    await collector.close();
  });
  const span = (name: string) => collector.spans.find((one) => one.name === name);
  return { tracing, collector, counts, failures, readings, span };
}

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

test('the first event is read once, and only of what is told of', async (t) => {
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

test('what the caller does not sample is not exported, and says so to workers', async (t) => {
  const { tracing, collector } = await open(t, {
    [ONE]: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-00` },
  });
  tracing.ended(END);
  t.regex(
    (await tracing.traceparentOf(ATTEMPT)) ?? '',
    /^00-0af7651916cd43dd8448eb211c80319c-\w{16}-00$/,
  );
  await tracing.close();
  t.is(collector.asked(), 0);
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
  t.like(model, { kind: 3, status: { code: 2 }, events: ['exception'] });
  t.is(model?.status?.message.length, 1_001);
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

test('while the collector is away spans are kept, and its failure is told once', async (t) => {
  const { tracing, collector, counts, failures } = await open(t);
  collector.reply.status = 503;
  tracing.ended(END);
  await eventually(async () => {
    if (collector.asked() < 2) throw new Error('it was asked once');
  });
  t.is(failures.length, 1);
  collector.reply.status = 200;
  await tracing.close();
  t.deepEqual(counts, { exported: 1, dropped: 0 });
  t.is(collector.spans.length, 1);
});

test('what the collector can never take is dropped, and what is beyond the bound', async (t) => {
  const { tracing, collector, counts } = await open(t);
  collector.reply.status = 400;
  for (let count = 0; count < 5_000; count += 1) tracing.ended(END);
  await tracing.close();
  t.deepEqual(counts, { exported: 0, dropped: 5_000 });
});
