import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* Addition: starts that are refused when the places of their key are taken. */

const check = onBothStores();
const GO = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } };

const orders = (concurrency: JsonObject, more: JsonObject = {}) => ({
  workflow_id: 'orders',
  concurrency: { when_full: 'refuse', ...concurrency },
  nodes: { go: GO },
  ...more,
});

interface Refused {
  readonly error: string;
  readonly code?: string;
  readonly execution_id?: string;
}

check('409: a start whose key has no free place says which limit it met', async (t, svc) => {
  const id = await svc.register(orders({ key: 'input.customer', limit: 1 }));
  const body = { workflow_id: id, input: { customer: 'acme' } };
  const first = await svc.start(id, body.input);
  await svc.start(id, { customer: 'brown' });
  const key = { 'Idempotency-Key': 'order-1' };
  const refused = await svc.post<Refused>('/executions', body, key);
  t.like(refused, {
    status: 409,
    body: {
      error:
        `conflict: workflow ${id} refuses this start, because the only place of key acme is taken: ` +
        'start again when an execution that has a place has ended, or cancel one',
      code: 'concurrency_limit',
      workflow_id: id,
      key: 'acme',
      limit: 1,
    },
  });
  const { body: list } = await svc.get<{ readonly total: number }>(
    `/executions/counts?workflow_id=${id}`,
  );
  t.is(list.total, 2);
  await svc.until(first, 'paused');
  await svc.deliver(first, 'go');
  await svc.until(first, 'completed');
  const started = await svc.post<Refused>('/executions', body, key);
  t.is(started.status, 201);
  const repeated = await svc.post<Refused>('/executions', body, key);
  t.deepEqual([repeated.status, repeated.body], [201, started.body]);
  t.is((await svc.post('/executions', body)).status, 409);
});

check('201: a start with a free place begins with its commit', async (t, svc) => {
  const id = await svc.register(orders({ limit: 2 }));
  const first = await svc.start(id);
  const second = await svc.start(id);
  t.deepEqual((await svc.story(second)).slice(0, 2), ['WorkflowStarted', 'NodeScheduled go']);
  t.is((await svc.post('/executions', { workflow_id: id, input: {} })).status, 409);
  await svc.until(first, 'paused');
  await svc.cancel(first);
  t.is((await svc.post('/executions', { workflow_id: id, input: {} })).status, 201);
});

check('200: a batch refuses the entries that find no place, and no others', async (t, svc) => {
  const id = await svc.register(orders({ key: 'input.customer', limit: 2 }));
  const customers = ['acme', 'acme', 'acme', 'brown', 'acme', 'brown'];
  const executions = customers.map((customer) => ({ workflow_id: id, input: { customer } }));
  const { body } = await svc.post<{ readonly results: readonly (Refused & JsonObject)[] }>(
    '/executions/batch',
    { executions },
  );
  t.deepEqual(
    body.results.map(({ status }) => status),
    [201, 201, 409, 201, 409, 201],
  );
  t.like(body.results[2], { code: 'concurrency_limit', key: 'acme', limit: 2 });
});

check('409: retries and forks are starts, children and next runs are not', async (t, svc) => {
  const id = await svc.register(orders({ limit: 1 }));
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  await svc.cancel(first);
  const second = await svc.start(id);
  await svc.until(second, 'paused');
  const retry = await svc.post<Refused>(`/executions/${first}/retry`);
  t.like(retry, { status: 409, body: { code: 'concurrency_limit' } });
  const fork = await svc.post<Refused>(`/executions/${first}/fork`, { at: 'go' });
  t.like(fork, { status: 409, body: { code: 'concurrency_limit' } });
  const bulk = await svc.post<{ readonly results: readonly JsonObject[] }>('/executions/bulk', {
    action: 'retry',
    filter: { workflow_id: id, status: 'cancelled' },
  });
  t.deepEqual(
    bulk.body.results.map(({ outcome }) => outcome),
    ['refused'],
  );
  const parent = await svc.run({
    workflow_id: 'parent',
    nodes: { child: { kind: { type: 'subgraph', workflow_ref: id } } },
  });
  await svc.untilEvent(parent, 'ChildWorkflowStarted');
  await svc.cancel(second);
  t.is((await svc.post(`/executions/${first}/retry`)).status, 201);
});

check('409: the refusal of a workflow with a data policy hides the key', async (t, svc) => {
  const id = await svc.register(
    orders(
      { key: 'input.email', limit: 1 },
      { data_policy: { pii_fields: ['email'], action: 'mask' } },
    ),
  );
  const body = { workflow_id: id, input: { email: 'ann@example.com' } };
  t.is((await svc.post('/executions', body)).status, 201);
  const refused = await svc.post<Refused>('/executions', body);
  t.like(refused, { status: 409, body: { code: 'concurrency_limit', key: null } });
  t.false(JSON.stringify(refused.body).includes('ann'));
});

check('201: a paused workflow takes its places, and refuses starts beyond them', async (t, svc) => {
  const id = await svc.register(orders({ limit: 1 }));
  t.is((await svc.post(`/workflows/${id}/pause`)).status, 200);
  const first = await svc.start(id);
  t.is((await svc.read(first)).status, 'paused');
  t.is((await svc.post('/executions', { workflow_id: id, input: {} })).status, 409);
  t.is((await svc.post(`/workflows/${id}/resume`)).status, 200);
  await svc.deliver(first, 'go');
  await svc.until(first, 'completed');
  t.is((await svc.post('/executions', { workflow_id: id, input: {} })).status, 201);
});
