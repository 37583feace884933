import { onBothStores } from '../support/both-stores.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';

/* Addition: labels of executions, from their start to a search. */

const check = onBothStores();
const call = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

interface Labelled {
  readonly execution_id: string;
  readonly labels: Readonly<Record<string, string>>;
}

const find = (q: string) => `/executions?q=${encodeURIComponent(q)}`;

check('200: an execution is found by labels of its start', async (t, svc) => {
  const orders = await svc.register({ workflow_id: 'orders', nodes: { a: call } });
  const acme = await svc.start(
    orders,
    {},
    { labels: { customer: 'Acme & Söhne', 'tier/eu': '1' } },
  );
  const brown = await svc.start(orders, {}, { labels: { customer: 'Brown' } });
  const plain = await svc.start(orders, {}, { labels: {} });
  const show = async (id: string) => (await svc.get<Labelled>(`/executions/${id}`)).body.labels;
  t.deepEqual(await show(acme), { customer: 'Acme & Söhne', 'tier/eu': '1' });
  t.deepEqual(await show(plain), {});
  const search = async (q: string) => {
    const { status, body } = await svc.get<{ readonly executions: readonly Labelled[] }>(find(q));
    t.is(status, 200, q);
    return body.executions.map(({ execution_id: id, labels }) => [id, labels]);
  };
  t.deepEqual(await search('labels.customer = "Acme & Söhne"'), [
    [acme, { customer: 'Acme & Söhne', 'tier/eu': '1' }],
  ]);
  t.deepEqual(await search('labels.customer = Brown and status = running'), [
    [brown, { customer: 'Brown' }],
  ]);
  t.deepEqual(await search('labels.tier/eu != "1" and workflow = orders'), [
    [plain, {}],
    [brown, { customer: 'Brown' }],
  ]);
  t.deepEqual(
    (await svc.get<{ readonly executions: readonly Labelled[] }>('/executions?limit=1')).body
      .executions[0]?.labels,
    {},
  );
  const [first] = await svc.events(acme);
  t.like(first, { payload: { labels: { customer: 'Acme & Söhne', 'tier/eu': '1' } } });
});

check(
  '200: children and retries have the labels too, with those of their definitions',
  async (t, svc) => {
    const child = await svc.register({
      workflow_id: 'child',
      execution_labels: { customer: 'of the child', step: { expr: 'state.step' }, none: null },
      nodes: { a: { ...call, retry_policy: { max_attempts: 1 } } },
    });
    const parent = await svc.register({
      workflow_id: 'parent',
      execution_labels: {
        region: '$.region',
        vip: { expr: 'state.total > 10' },
        customer: 'nobody',
      },
      nodes: {
        sub: {
          kind: { type: 'subgraph', workflow_ref: child, input_mapping: { step: { literal: 7 } } },
        },
      },
    });
    const input = { region: 'eu', total: 11 };
    const id = await svc.start(parent, input, { labels: { customer: 'acme' } });
    const own = { region: 'eu', vip: 'true', customer: 'acme' };
    t.deepEqual((await svc.get<Labelled>(`/executions/${id}`)).body.labels, own);
    await svc.breakDown('a', { error: 'no' });
    await svc.until(id, 'failed');
    const { body } = await svc.get<{ readonly executions: readonly Labelled[] }>(
      find('labels.region = eu and labels.step = "7"'),
    );
    t.deepEqual(
      body.executions.map(({ labels }) => labels),
      [{ region: 'eu', vip: 'true', customer: 'of the child', step: '7' }],
    );
    const retried = await svc.post<{ readonly execution_id: string }>(
      `/executions/${id}/retry`,
      {},
    );
    const { labels } = (await svc.get<Labelled>(`/executions/${retried.body.execution_id}`)).body;
    t.deepEqual(labels, own);
  },
);

check('201: the labels belong to what an Idempotency-Key stands for', async (t, svc) => {
  const orders = await svc.register({ workflow_id: 'orders', nodes: { a: call } });
  const start = (labels: JsonObject | null) =>
    svc.post<{ readonly execution_id: string }>(
      '/executions',
      { workflow_id: orders, input: {}, ...(labels !== null && { labels }) },
      { 'Idempotency-Key': 'k' },
    );
  const first = await start({ a: '1' });
  t.is((await start({ a: '1' })).body.execution_id, first.body.execution_id);
  t.is((await start({ a: '2' })).status, 409);
  t.is((await start(null)).status, 409);
});

check('400: labels that cannot be kept start nothing', async (t, svc) => {
  const blank = { workflow_id: await svc.register({}), input: {}, labels: { 'a b': 'c' } };
  const told = await svc.post<{ readonly error: string }>('/executions', blank);
  t.is(
    told.body.error,
    'bad request: labels.a b is no name of a label: it has at most 128 letters, digits and ' +
      'characters of _.:/-, and begins with a letter or a digit: rename it',
  );
  const orders = await svc.register({
    workflow_id: 'orders',
    execution_labels: { customer: '$.customer' },
    nodes: { a: call },
  });
  const start = (input: JsonObject, labels: unknown) =>
    svc.post('/executions', { workflow_id: orders, input, labels });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 'v']));
  for (const labels of [
    { '': 'v' },
    { ' a': 'v' },
    { _a: 'v' },
    { ['n'.repeat(129)]: 'v' },
    { a: '' },
    { a: 'v'.repeat(129) },
    { a: '😀'.repeat(65) },
    { a: 'nul\0' },
    { a: 1 },
    { a: null },
    many(17),
    [],
    'a',
  ]) {
    t.is((await start({}, labels)).status, 400, JSON.stringify(labels));
  }
  t.is((await start({ customer: 'c' }, many(16))).status, 400);
  t.is((await start({ customer: {} }, {})).status, 400);
  t.is((await start({ customer: 'c'.repeat(129) }, {})).status, 400);
  t.is(
    (await svc.get<{ readonly executions: readonly [] }>('/executions')).body.executions.length,
    0,
  );
  t.is((await start({}, many(16))).status, 201);
  t.is((await start({}, { a: '😀'.repeat(64) })).status, 201);
  t.is((await start({ customer: 'c' }, many(15))).status, 201);
  for (const labels of [[], 'a', { ' a': 'v' }, { a: { expr: '1 +' } }, many(17)]) {
    const ir = { workflow_id: 'wrong', execution_labels: labels, nodes: { a: call } };
    t.is((await svc.post('/workflows', { ir })).status, 400, JSON.stringify(labels));
  }
});

check('400: a definition whose labels no execution can have', async (t, svc) => {
  const register = (labels: JsonObject) =>
    svc.post<{ readonly error: string; readonly problems: readonly { pointer: string }[] }>(
      '/workflows',
      { ir: { workflow_id: 'constants', execution_labels: labels, nodes: { a: call } } },
    );
  const refused = await register({
    list: ['$.a'],
    object: { a: '$.a' },
    literal: { literal: {} },
    long: 'v'.repeat(129),
    kept: 'v'.repeat(128),
  });
  t.is(refused.status, 400);
  t.deepEqual(
    refused.body.problems.map(({ pointer }) => pointer),
    ['list', 'object', 'literal', 'long'].map((name) => `/execution_labels/${name}`),
  );
  t.regex(refused.body.error, /must be text, a number or a boolean/);
  const kept = { number: 1, flag: true, none: null, empty: '', path: '$.a', list: { expr: '[1]' } };
  t.is((await register(kept)).status, 201);
});

check(
  '200: counts by a label, a workflow or a status name the largest groups first',
  async (t, svc) => {
    const orders = await svc.register({ workflow_id: 'orders', nodes: { a: call } });
    const refunds = await svc.register({ workflow_id: 'refunds', nodes: { a: call } });
    for (const customer of ['acme', 'Brown', 'acme', 'brown']) {
      await svc.start(orders, {}, { labels: { customer, tier: 'gold' } });
    }
    await svc.start(refunds, {}, { labels: { tier: 'gold' } });
    const cancelled = await svc.start(refunds);
    await svc.cancel(cancelled);
    const count = async (by: string, q = '') => {
      const path = `/executions/counts?group_by=${by}&q=${encodeURIComponent(q)}`;
      const { status, body } = await svc.get<{ readonly groups: readonly unknown[] }>(path);
      t.is(status, 200, by);
      return body.groups;
    };
    t.deepEqual(await count('labels.customer'), [
      { value: 'acme', count: 2 },
      { value: null, count: 2 },
      { value: 'Brown', count: 1 },
      { value: 'brown', count: 1 },
    ]);
    t.deepEqual(await count('labels.customer', 'labels.tier = gold and labels.customer ~ brown'), [
      { value: 'Brown', count: 1 },
      { value: 'brown', count: 1 },
    ]);
    t.deepEqual(await count('workflow', 'labels.tier = gold'), [
      { value: 'orders', count: 4 },
      { value: 'refunds', count: 1 },
    ]);
    t.deepEqual(await count('status'), [
      { value: 'running', count: 5 },
      { value: 'cancelled', count: 1 },
    ]);
    t.deepEqual(await count('version', 'status = failed'), []);
    t.false('groups' in (await svc.get<object>('/executions/counts')).body);
    for (const by of ['labels', 'labels.', 'labels._a', 'error', 'nothing']) {
      t.is((await svc.get(`/executions/counts?group_by=${by}`)).status, 400, by);
    }
  },
);
