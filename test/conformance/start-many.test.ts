import { onBothStores } from '../support/both-stores.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import type { ExecutionSummary } from '../support/wire.ts';

/* Addition: one request starts many executions. */

const check = onBothStores();
const call = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

interface Verdict {
  readonly status: number;
  readonly execution_id?: string;
  readonly error?: string;
  readonly retry_after_seconds?: number;
}

interface Batch {
  readonly results: readonly Verdict[];
}

check('200: many executions are started, each with its own input', async (t, svc) => {
  await svc.register({ nodes: { a: call } });
  const entries = Array.from({ length: 1_000 }, (_, n) => ({
    workflow_id: 'w',
    input: { n },
    idempotency_key: `order-${n}`,
  }));
  const first = await startBatch(svc, entries);
  t.deepEqual(new Set(first.map(({ status }) => status)), new Set([201]));
  const ids = first.map(({ execution_id: id }) => id ?? '');
  t.is(new Set(ids).size, 1_000);
  for (const n of [0, 499, 999]) t.deepEqual((await svc.read(ids[n] ?? '')).input, { n });
  t.deepEqual(await startBatch(svc, entries), first);
  const [event] = await svc.events(ids[7] ?? '');
  t.is(event?.kind, 'WorkflowStarted');
  t.truthy(event?.actor_id);
});

check('200: an entry that is wrong has an error, and the others start', async (t, svc) => {
  await svc.register({
    nodes: { a: call },
    state_schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  });
  const good = { workflow_id: 'w', input: { n: 1 } };
  const results = await startBatch(svc, [
    good,
    { ...good, workflow_id: 'nobody' },
    { ...good, workflow_version: '9' },
    { input: {} },
    { ...good, priority: 10 },
    { ...good, idempotency_key: '' },
    { ...good, idempotency_key: 'ä' },
    { ...good, wait: '1s' },
    { ...good, input: { n: 'one' } },
    { ...good, input: { n: 1, text: '\0' } },
    { ...good, input: { n: 1, deep: nested(64) } },
    'text',
    null,
    { ...good, priority: 0 },
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    [201, 404, 404, ...Array.from({ length: 10 }, () => 400), 201],
  );
  t.deepEqual(results[1], { status: 404, error: 'not found: workflow nobody' });
  t.regex(results[3]?.error ?? '', /^bad request: workflow_id is required/);
  t.regex(results[7]?.error ?? '', /\/wait is unknown/);
  t.regex(results[9]?.error ?? '', /the entry holds U\+0000/);
  t.regex(results[10]?.error ?? '', /the entry is nested deeper than 64 levels/);
  t.is((await listed(svc)).length, 2);
});

check('200: an entry is refused as a request of its own would be', async (t, svc) => {
  await svc.register({ nodes: { a: call }, state_schema: { type: 'object', required: ['n'] } });
  for (const entry of [
    { workflow_id: 'nobody', input: {} },
    { workflow_id: 'w', input: {} },
    { workflow_id: 'w', input: { n: 2 ** 53 } },
    { workflow_id: '', input: {} },
    { workflow_id: 'w' },
  ]) {
    const alone = await svc.post<object>('/executions', entry);
    const [verdict] = await startBatch(svc, [entry]);
    t.deepEqual(verdict, { ...alone.body, status: alone.status });
  }
});

check('200: a key starts one execution in a batch, and beside a single start', async (t, svc) => {
  await svc.register({ nodes: { a: call } });
  const entry = { workflow_id: 'w', input: { n: 1 } };
  const keyed = { ...entry, idempotency_key: 'order 17' };
  const other = { ...keyed, input: { n: 2 } };
  const alone = await svc.post<{ execution_id: string }>('/executions', entry, {
    'Idempotency-Key': 'order 17',
  });
  const { execution_id: id } = expectStatus(alone, 201);
  const [first, second, third] = await startBatch(svc, [keyed, other, keyed]);
  t.deepEqual(
    [first, third],
    [
      { status: 201, execution_id: id },
      { status: 201, execution_id: id },
    ],
  );
  t.like(second, { status: 409, execution_id: id });
  t.is((await listed(svc)).length, 1);
});

check('200: the limit of a tenant refuses the entries that are over it', async (t, svc) => {
  await svc.register({ nodes: { a: call } });
  const limits = { max_concurrent_executions: 3 };
  await svc.send({
    method: 'PUT',
    path: `/tenants/${svc.tenantId}`,
    tenantId: 'default',
    body: { limits },
  });
  const entries = [1, 2, 3, 4, 5].map((n) => ({
    workflow_id: 'w',
    input: { n },
    idempotency_key: `k-${n}`,
  }));
  await startBatch(svc, entries.slice(0, 2));
  const results = await startBatch(svc, entries);
  t.deepEqual(
    results.map(({ status }) => status),
    [201, 201, 201, 429, 429],
  );
  t.like(results[3], { limit: 'max_concurrent_executions', max: 3, retry_after_seconds: 1 });
  t.is((await listed(svc)).length, 3);
});

check('413: a body and an entry that are too large', async (t, svc) => {
  await svc.register({ nodes: { a: call } });
  const entry = (bytes: number) => ({ workflow_id: 'w', input: { text: 'x'.repeat(bytes) } });
  const [large, small] = await startBatch(svc, [entry(5_000_000), entry(3_000_000)]);
  t.is(large?.status, 413);
  t.regex(large?.error ?? '', /^payload too large: the entry is larger than 4194304 bytes/);
  t.is(small?.status, 201);
  const all = Array.from({ length: 6 }, () => entry(3_000_000));
  t.is((await svc.post('/executions/batch', { executions: all })).status, 413);
});

check('400: no entries, too many, and a key for all of them', async (t, svc) => {
  await svc.register({ nodes: {} });
  const entry = { workflow_id: 'w', input: {} };
  for (const body of [
    {},
    { executions: [] },
    { executions: {} },
    { executions: Array.from({ length: 1_001 }, () => entry) },
    { executions: [entry], wait: '1s' },
    { executions: [entry], '\0': 1 },
  ]) {
    t.is((await svc.post('/executions/batch', body)).status, 400);
  }
  const headers = { 'Idempotency-Key': 'k' };
  const reply = await svc.post('/executions/batch', { executions: [entry] }, headers);
  t.is(reply.status, 400);
  t.regex(reply.body.error, /give each entry its own idempotency_key/);
  t.deepEqual(await listed(svc), []);
});

async function startBatch(svc: TestTenant, executions: readonly unknown[]) {
  const reply = await svc.post<Batch>('/executions/batch', { executions });
  return expectStatus(reply, 200).results;
}

async function listed(svc: TestTenant): Promise<readonly ExecutionSummary[]> {
  const reply = await svc.get<{ executions: readonly ExecutionSummary[] }>('/executions?limit=10');
  return expectStatus(reply, 200).executions;
}

/** Nested objects with this many levels. */
function nested(levels: number): unknown {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}
