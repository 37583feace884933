import type { JsonObject } from '../../src/shared/domain/json.ts';
import { eventually } from '../support/eventually.ts';
import { onBothStores } from '../support/both-stores.ts';
import type { TestTenant } from '../support/tenant.ts';

/* Addition: starts that wait for a place of their tenant. */

const check = onBothStores();

const waiting = (id: string, more: JsonObject = {}) => ({
  workflow_id: id,
  nodes: { go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
  ...more,
});

interface Explained {
  readonly blockers: readonly {
    readonly code: string;
    readonly message: string;
    readonly position?: number;
  }[];
}

async function limit(svc: TestTenant, limits: JsonObject): Promise<number> {
  const path = `/tenants/${svc.tenantId}`;
  return (await svc.send({ method: 'PUT', path, body: { limits } })).status;
}

check('201: starts of a full tenant wait, and begin in their order', async (t, svc) => {
  t.is(await limit(svc, { max_concurrent_executions: 1, when_full: 'queue' }), 200);
  const id = await svc.register(waiting('orders'));
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  const second = await svc.start(id);
  const third = await svc.start(id);
  const explain = async (execution: string) =>
    (await svc.get<Explained>(`/executions/${execution}/explain`)).body.blockers[0];
  t.like(await explain(third), {
    code: 'waiting_for_place',
    message: 'waits for a place: number 2 in the queue of the tenant, limit 1 reached',
    position: 2,
  });
  t.deepEqual(await svc.story(second), ['WorkflowStarted']);
  t.is((await svc.read(second)).status, 'running');
  await svc.deliver(first, 'go');
  await svc.until(first, 'completed');
  await svc.until(second, 'paused');
  t.like(await explain(third), { code: 'waiting_for_place', position: 1 });
  await svc.cancel(second);
  await svc.until(third, 'paused');
  await svc.deliver(third, 'go');
  await svc.until(third, 'completed');
});

interface Listed {
  readonly execution_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly waiting_for: { readonly kind: string; readonly key: string | null } | null;
}

/** A tenant with one place, which an execution has, and executions that wait for it. */
async function full(svc: TestTenant, waits: number, more: JsonObject = {}) {
  await limit(svc, { max_concurrent_executions: 1, when_full: 'queue' });
  const id = await svc.register(waiting('orders', more));
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  const others: string[] = [];
  for (let count = 0; count < waits; count += 1) others.push(await svc.start(id));
  return { id, first, others };
}

const readOf = async (svc: TestTenant, id: string) =>
  (await svc.get<Listed>(`/executions/${id}`)).body;

async function finish(svc: TestTenant, id: string): Promise<void> {
  await svc.until(id, 'paused');
  await svc.deliver(id, 'go');
  await svc.until(id, 'completed');
}

check('200: a reading, a list and a query say that a start waits', async (t, svc) => {
  const { id, first, others } = await full(svc, 1);
  const [second = ''] = others;
  const find = async (waits: boolean) => {
    const q = encodeURIComponent(`workflow = ${id} and waiting = ${waits}`);
    const { body } = await svc.get<{ readonly executions: readonly Listed[] }>(
      `/executions?q=${q}`,
    );
    return body.executions;
  };
  const [listed] = await find(true);
  t.like(listed, {
    execution_id: second,
    status: 'running',
    waiting_for: { kind: 'max_concurrent_executions', key: null },
  });
  t.deepEqual((await readOf(svc, second)).waiting_for, listed?.waiting_for ?? null);
  t.deepEqual(
    (await find(false)).map((row) => row.execution_id),
    [first],
  );
  await svc.cancel(first);
  await svc.until(second, 'paused');
  t.deepEqual(await find(true), []);
  t.is((await readOf(svc, second)).waiting_for, null);
});

check('200: facts are recorded meanwhile, and a cancel ends at once', async (t, svc) => {
  const { first, others } = await full(svc, 2, {
    start_node: 'go',
    nodes: {
      go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
      unlock: { kind: { type: 'finalizer', tool_ref: 'unlock', run_on: 'failure' } },
    },
    tools: { unlock: { kind: 'python', reference: 'locks:release' } },
  });
  const [second = '', third = ''] = others;
  await svc.deliver(second, 'go');
  t.is((await svc.post(`/executions/${third}/pause`)).status, 200);
  t.deepEqual(await svc.story(second), ['WorkflowStarted', 'ExternalEventReceived']);
  t.deepEqual(await svc.story(third), ['WorkflowStarted', 'ExecutionPaused']);
  await svc.cancel(third);
  t.is((await svc.read(third)).status, 'cancelled');
  t.deepEqual(await svc.story(third), ['WorkflowStarted', 'ExecutionPaused', 'WorkflowCancelled']);
  await svc.cancel(first);
  // The first keeps its place for its finalizer.
  await svc.work('unlock');
  await svc.until(second, 'completed');
});

check('200: a start that has no place by its deadline fails', async (t, svc) => {
  const { id, first } = await full(svc, 0);
  const late = await svc.start(id, {}, { start_deadline: '300ms' });
  const next = await svc.start(id, {}, { start_deadline: '1h' });
  await svc.until(late, 'failed');
  t.is((await readOf(svc, late)).error, 'the execution did not begin by its start deadline');
  await svc.cancel(first);
  await finish(svc, next);
});

check('201: a batch that is closed waits for a place of its tenant', async (t, svc) => {
  const { first } = await full(svc, 0);
  const id = await svc.register(waiting('gathered', { batch: { max: 2, wait: '1h' } }));
  const leader = await svc.start(id, { at: 0 });
  const other = await svc.start(id, { at: 1 });
  await svc.until(other, 'cancelled');
  t.is((await readOf(svc, leader)).waiting_for?.kind, 'max_concurrent_executions');
  t.deepEqual(await svc.story(leader), ['WorkflowStarted', 'BatchClosed']);
  await finish(svc, first);
  await finish(svc, leader);
});

check('201: batches, retries, forks and schedules wait as well', async (t, svc) => {
  const ended = await svc.start(await svc.register(waiting('orders')));
  await svc.cancel(ended);
  const { first, id } = await full(svc, 0);
  const entry = { workflow_id: id, input: {} };
  const batch = await svc.post<{
    readonly results: readonly { readonly status: number; readonly execution_id: string }[];
  }>('/executions/batch', { executions: [entry, entry] });
  t.deepEqual(
    batch.body.results.map(({ status }) => status),
    [201, 201],
  );
  const carriedOn = [`/executions/${ended}/retry`, `/executions/${first}/fork`].map((path) =>
    svc.post<{ readonly execution_id: string }>(path, path.endsWith('fork') ? { at: 'go' } : {}),
  );
  const [retry, fork] = await Promise.all(carriedOn);
  t.deepEqual([retry?.status, fork?.status], [201, 201]);
  const scheduled = await svc.register(waiting('scheduled'));
  const schedule = await svc.post('/schedules', {
    name: 'often',
    workflow_id: scheduled,
    input: {},
    every: '1s',
    overlap_policy: 'skip',
  });
  t.is(schedule.status, 201);
  const fired = await eventually(async () => {
    const path = `/executions?workflow_id=${scheduled}`;
    const [row] = (await svc.get<{ readonly executions: readonly Listed[] }>(path)).body.executions;
    if (row === undefined) throw new Error('the schedule has not fired');
    return row.execution_id;
  });
  const waits = [
    ...batch.body.results.map((result) => result.execution_id),
    retry?.body.execution_id ?? '',
    fork?.body.execution_id ?? '',
    fired,
  ];
  for (const one of waits) {
    t.is((await readOf(svc, one)).waiting_for?.kind, 'max_concurrent_executions');
  }
  await svc.cancel(first);
  // A retry and a fork that come at once have no order.
  await limit(svc, {});
  for (const one of waits) await finish(svc, one);
});

check('200: a higher limit admits at once, a lower one ends nobody', async (t, svc) => {
  const { id, first, others } = await full(svc, 2);
  const [second = '', third = ''] = others;
  await limit(svc, { max_concurrent_executions: 2, when_full: 'queue' });
  await svc.until(second, 'paused');
  t.not((await readOf(svc, third)).waiting_for, null);
  await limit(svc, { max_concurrent_executions: 1, when_full: 'queue' });
  await svc.cancel(first);
  t.is((await svc.read(second)).status, 'paused');
  t.not((await readOf(svc, third)).waiting_for, null);
  await limit(svc, { max_concurrent_executions: 1, when_full: 'refuse' });
  t.is((await svc.post('/executions', { workflow_id: id, input: {} })).status, 429);
  await finish(svc, second);
  await finish(svc, third);
  await svc.start(id);
});

check('200: without a limit all begin that wait', async (_t, svc) => {
  const { others } = await full(svc, 2);
  await limit(svc, {});
  for (const one of others) await svc.until(one, 'paused');
});

check('200: a start that waits for its key keeps no place from others', async (t, svc) => {
  const { first, id } = await full(svc, 0, { concurrency: { limit: 1 } });
  const next = await svc.start(id);
  const keyed = await svc.start(id);
  const other = await svc.register(waiting('other'));
  const free = await svc.start(other);
  t.is((await readOf(svc, next)).waiting_for?.kind, 'concurrency');
  t.is((await readOf(svc, free)).waiting_for?.kind, 'max_concurrent_executions');
  await svc.cancel(first);
  // An execution that gets the place of its key is then the last in the line of the tenant.
  const begun = [free, next, keyed];
  await svc.until(free, 'paused');
  // The place of the key passes on its own, perhaps a moment later.
  await eventually(async () => {
    const kind = (await readOf(svc, next)).waiting_for?.kind;
    if (kind !== 'max_concurrent_executions') throw new Error(`it waits for ${kind}`);
  });
  for (const one of begun) await finish(svc, one);
});

check('200: a delayed start takes a place when its time has come', async (t, svc) => {
  await limit(svc, { max_concurrent_executions: 1, when_full: 'queue' });
  const id = await svc.register(waiting('orders'));
  const hours = await svc.start(id, {}, { start_after: '1h' });
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  const soon = await svc.start(id, {}, { start_after: '300ms' });
  await svc.untilEvent(soon, 'TimerFired');
  t.deepEqual(await svc.story(soon), ['WorkflowStarted', 'TimerStarted', 'TimerFired']);
  t.is((await readOf(svc, soon)).waiting_for?.kind, 'max_concurrent_executions');
  await svc.cancel(first);
  await finish(svc, soon);
  t.is((await readOf(svc, hours)).waiting_for?.kind, 'start_after');
});

check('200: executions that waited for their key before give up their places', async (t, svc) => {
  await limit(svc, { max_concurrent_executions: 2 });
  const id = await svc.register(waiting('orders', { concurrency: { key: 'input.key', limit: 1 } }));
  const holder = await svc.start(id, { key: 'a' });
  await svc.until(holder, 'paused');
  const behind = await svc.start(id, { key: 'a' });
  t.is((await svc.post('/executions', { workflow_id: id, input: { key: 'b' } })).status, 429);
  await limit(svc, { max_concurrent_executions: 2, when_full: 'queue' });
  const other = await svc.start(id, { key: 'b' });
  await svc.until(other, 'paused');
  t.is((await readOf(svc, behind)).waiting_for?.kind, 'concurrency');
  await svc.cancel(holder);
  await svc.until(behind, 'paused');
});
