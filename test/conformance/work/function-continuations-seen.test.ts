import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import {
  claimTurn,
  continueAsNew,
  FUNCTION,
  type FunctionItem,
  park,
  plain,
  record,
  step,
} from '../../support/functions.ts';
import { startOtlpCollector } from '../../support/servers/otlp-collector.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';

/* Readers' views of a function that has continued as new, and the starting point of its retry. */

const collector = await startOtlpCollector({ unref: true });
const check = onBothStores({ env: { SVC_TELEMETRY_OTLP_ENDPOINT: collector.url } });

const SECRET = '078-05-1120';

async function retry(svc: TestTenant, id: string): Promise<string> {
  const reply = await svc.post<{ execution_id: string }>(`/executions/${id}/retry`, {});
  return expectStatus(reply, 201).execution_id;
}

/** The second visit of a function that has continued with this input. */
async function secondVisit(
  svc: TestTenant,
  of: { readonly ir?: JsonObject; readonly input: JsonObject },
): Promise<{ readonly id: string; readonly item: FunctionItem }> {
  const id = await svc.run({ nodes: { f: FUNCTION }, ...of.ir });
  const first = await claimTurn(svc);
  const body = { entries: [step('poll', 1)], input: of.input };
  expectStatus(await continueAsNew(svc, first, body), 200);
  return { id, item: await claimTurn(svc) };
}

async function failed(svc: TestTenant, id: string, item: FunctionItem): Promise<void> {
  expectStatus(await svc.fail(item, { final: true, expected_length: item.journal.length }), 200);
  await svc.until(id, 'failed');
}

/** All views that a reader gets of an execution. */
async function shown(svc: TestTenant, id: string): Promise<string> {
  const views = ['', '/events', '/explain', '/result?wait=0s'].map((path) =>
    svc.get<JsonObject>(`/executions/${id}${path}`),
  );
  return JSON.stringify((await Promise.all(views)).map(({ body }) => body));
}

for (const [policy, expected] of [
  [{ pii_fields: ['ssn'] }, { ssn: '***', n: 1 }],
  [{ retain_outputs: false }, undefined],
] as const) {
  const title = Object.keys(policy).join();
  check(`readers see the next input as the data policy allows: ${title}`, async (t, svc) => {
    const input = { ssn: SECRET, n: 1 };
    const { id, item } = await secondVisit(svc, { ir: { data_policy: policy }, input });
    t.deepEqual(item.payload['input'], input, 'the work gets all of it');
    const continued = (await svc.events(id)).find(({ kind }) => kind === 'NodeContinuedAsNew');
    t.deepEqual(continued?.payload['input'], expected);
    t.false((await shown(svc, id)).includes(SECRET));
    await failed(svc, id, item);
    const retried = await retry(svc, id);
    t.deepEqual((await claimTurn(svc)).payload['input'], input);
    t.false((await shown(svc, retried)).includes(SECRET));
  });
}

check('explain tells what the next visit waits for', async (t, svc) => {
  const { id, item } = await secondVisit(svc, { input: { n: 1 } });
  const explained = async (code: string) =>
    eventually(async () => {
      const reply = await svc.get<{ blockers: readonly JsonObject[] }>(`/executions/${id}/explain`);
      const [first] = expectStatus(reply, 200).blockers;
      if (first?.['code'] !== code) throw new Error(JSON.stringify(first));
      return first;
    });
  t.like(await explained('lease_held_until'), { node_id: 'f', visit: 1 });
  await park(svc, item, [{ identity: 'paid', kind: 'event', correlation_key: 'payment' }]);
  const waiting = await explained('awaiting_event');
  t.like(waiting, { node_id: 'f', visit: 1 });
  t.regex(JSON.stringify(waiting), /payment/);
});

check('a retry begins with the last visit, its input, its key and its journal', async (t, svc) => {
  const { id, item } = await secondVisit(svc, { input: { n: 1 } });
  expectStatus(await record(svc, item, [step('poll', 2)]), 200);
  expectStatus(await svc.fail(item, { final: true, expected_length: 1 }), 200);
  await svc.until(id, 'failed');
  const retried = await retry(svc, id);
  const again = await claimTurn(svc);
  t.is(again.execution_id, retried);
  t.is(again.idempotency_key, item.idempotency_key);
  t.deepEqual(again.payload['input'], { n: 1 });
  t.deepEqual(plain(again.journal), [step('poll', 2)]);
  expectStatus(await continueAsNew(svc, again, { input: { n: 2 } }), 200);
  const third = await claimTurn(svc);
  t.deepEqual([third.payload['input'], third.journal.length], [{ n: 2 }, 0]);
  expectStatus(await svc.complete(third), 200);
  await svc.until(retried, 'completed');
  t.deepEqual(await svc.story(retried), [
    'WorkflowStarted',
    'NodeScheduled f#1',
    'StepRecorded f#1',
    'NodeContinuedAsNew f#1',
    'NodeScheduled f#2',
    'ToolCallCompleted f#2',
    'NodeCompleted f#2',
    'WorkflowCompleted',
  ]);
});

check('a retry continues each of two visits of a function', async (t, svc) => {
  const source = { kind: 'python_fn', module: 'm', function: 'f' };
  const again = { max_attempts: 1 };
  const id = await svc.run({
    start_node: 'g',
    nodes: { g: { ...source, retry_policy: again }, f: FUNCTION },
    edges: [
      { from: 'g', to: 'f', condition: 'output.n >= 0' },
      { from: 'g', to: 'g', condition: 'output.n >= 0' },
    ],
  });
  const items: FunctionItem[] = [];
  for (const n of [0, 1]) {
    await svc.work('g', { n });
    const item = await claimTurn(svc);
    expectStatus(await record(svc, item, [step(`poll ${n}`, n)]), 200);
    items.push(item);
  }
  await svc.breakDown('g');
  await svc.until(id, 'failed');
  await retry(svc, id);
  const retried = [await claimTurn(svc), await claimTurn(svc)];
  const told = (item: FunctionItem) => [item.idempotency_key, ...plain(item.journal)];
  t.deepEqual(
    retried.map(told),
    items.map(({ idempotency_key: key }, n) => [key, step(`poll ${n}`, n)]),
  );
});

check('each visit has a span of its own, and so has each of its steps', async (t, svc) => {
  const ran = { started_at: '2026-01-01T00:00:00.000Z', duration_ms: 5 };
  const poll = { ...step('poll', 1), ...ran };
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const first = await claimTurn(svc);
  const body = { entries: [poll], input: { n: 1 } };
  expectStatus(await continueAsNew(svc, first, body), 200);
  // A repetition after a lost answer counts as no attempt.
  expectStatus(await continueAsNew(svc, first, body), 200);
  const second = await claimTurn(svc);
  expectStatus(await svc.complete(second, {}, { entries: [poll], expected_length: 0 }), 200);
  await svc.until(id, 'completed');
  const spans = await eventually(async () => {
    const found = collector.spans.filter(({ attributes }) => attributes['svc.execution.id'] === id);
    if (!found.some(({ name }) => name === 'svc.execution')) throw new Error('no execution yet');
    return found;
  });
  const named = (name: string) =>
    spans
      .filter((span) => span.name === name)
      .toSorted((one, other) => visitIn(one) - visitIn(other));
  const visitIn = ({ attributes }: (typeof spans)[number]) => Number(attributes['svc.node.visit']);
  const [visits, steps] = [named('svc.node.f'), named('svc.step.poll')];
  t.deepEqual(visits.map(visitIn), [0, 1]);
  t.deepEqual(steps.map(visitIn), [0, 1]);
  t.deepEqual(
    steps.map(({ parentSpanId }) => parentSpanId),
    visits.map(({ spanId }) => spanId),
  );
  t.is(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  t.true(visits.every(({ status }) => status === null));
});
