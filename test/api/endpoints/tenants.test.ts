import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { textOf, type ApiAnswer } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing, tooling, waiting } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

let made = 0;

async function makeTenant(api: TestApi, changes: JsonObject = {}): Promise<string> {
  made += 1;
  const id = `tenant-${made}`;
  const answer = await api.call({ path: '/tenants', body: { id, name: `Tenant ${id}` } });
  if (answer.status !== 201) throw new Error(answer.error);
  if (Object.keys(changes).length > 0) await put(api, id, changes);
  return id;
}

async function put(api: TestApi, id: string, changes: JsonObject): Promise<ApiAnswer> {
  return api.call({ method: 'PUT', path: `/tenants/${id}`, body: changes });
}

test('201: a tenant is made, and found as it was made', async (t) => {
  const { api } = t.context;
  const made = await api.call({ path: '/tenants', body: { id: 'acme', name: 'Acme GmbH' } });
  t.is(made.status, 201);
  t.deepEqual(made.body, { tenant_id: 'acme' });
  const read = await api.call({ path: '/tenants/acme' });
  t.like(read.body, {
    id: 'acme',
    name: 'Acme GmbH',
    status: 'active',
    policy: {},
    limits: {},
  });
  const listed = await api.call({ path: '/tenants' });
  t.true((listed.body['tenants'] as { id: string }[]).some(({ id }) => id === 'acme'));
});

test('409: a tenant of that id exists', async (t) => {
  const { api } = t.context;
  const id = await makeTenant(api);
  const again = await api.call({ path: '/tenants', body: { id, name: 'Another' } });
  t.is(again.status, 409);
  t.is(again.error, `conflict: tenant ${id} exists`);
  t.like((await api.call({ path: `/tenants/${id}` })).body, { name: `Tenant ${id}` });
});

for (const [title, body, message] of [
  ['no id', { name: 'refused' }, /^bad request: id is required$/],
  ['no name', { id: 'x' }, /^bad request: name is required$/],
  ['an empty name', { id: 'x', name: '' }, /^bad request: name must not be empty$/],
  ['a name without end', { id: 'x', name: 'x'.repeat(257) }, /^bad request: name must be at most/],
  ...['', 'Acme', '-x', '_x', 'a b', 'a/b', 'ä', '../x', "x'; --", 'x'.repeat(64)].map(
    (id) =>
      [
        `the id ${JSON.stringify(id)}`,
        { id, name: 'refused' },
        /^bad request: id must be/,
      ] as const,
  ),
] as const) {
  test(`400: a tenant with ${title}`, async (t) => {
    const { api } = t.context;
    const answer = await api.call({ path: '/tenants', body });
    t.is(answer.status, 400);
    t.regex(answer.error, message);
    const { tenants } = await api.database.contents();
    t.false(tenants?.some((row) => JSON.parse(row).includes('refused')));
  });
}

test('200: a change answers the tenant, and leaves out what it leaves out', async (t) => {
  const { api } = t.context;
  const id = await makeTenant(api);
  const policy = {
    blocked_tools: ['shell.*'],
    require_approval_for: [],
    model_allowlist: ['gpt-*'],
  };
  const limits = {
    max_concurrent_executions: 5,
    max_workflows: 0,
    max_queued_work_items: 100,
    requests_per_second: 50,
    memory_tier: 'team',
  };
  t.like((await put(api, id, { policy, limits })).body, {
    id,
    name: `Tenant ${id}`,
    policy,
    limits,
  });
  const renamed = await put(api, id, { name: 'Renamed', limits: {}, status: null });
  t.is(renamed.status, 200);
  t.like(renamed.body, { name: 'Renamed', status: 'active', policy });
  t.deepEqual(renamed.body['limits'], {});
  t.like((await put(api, id, {})).body, { name: 'Renamed', policy });
});

for (const [changes, message] of [
  [{ status: 'gone' }, 'status must be active, suspended or archived'],
  [{ name: 5 }, 'name must be a string'],
  [{ policy: [] }, 'policy must be an object'],
  [
    { policy: { blocked: ['x'] } },
    '/policy/blocked is unknown, known are blocked_tools, require_approval_for, model_allowlist',
  ],
  [{ policy: { blocked_tools: 'x' } }, 'policy.blocked_tools must be an array'],
  [{ policy: { blocked_tools: [5] } }, 'policy.blocked_tools.0 must be a string'],
  [{ policy: { model_allowlist: [''] } }, 'policy.model_allowlist.0 must not be empty'],
  [
    { policy: { model_allowlist: Array(1_001).fill('x') } },
    'policy.model_allowlist must be at most 1000 globs',
  ],
  [
    { limits: { max_workflow: 5 } },
    '/limits/max_workflow is unknown, did you mean "max_workflows"?',
  ],
  [{ limits: { max_workflows: -1 } }, 'limits.max_workflows must be at least 0'],
  [{ limits: { max_workflows: 1.5 } }, 'limits.max_workflows must be an integer'],
  [{ limits: { max_workflows: '5' } }, 'limits.max_workflows must be a number'],
  [
    { limits: { max_concurrent_executions: 0 } },
    'limits.max_concurrent_executions must be at least 1, because with 0 nothing could start: the status "suspended" stops a tenant',
  ],
  [
    { limits: { when_full: 'queue', max_workflows: 1 } },
    'limits.when_full does nothing without max_concurrent_executions: give the number of executions at a time, or leave when_full out',
  ],
  [{ limits: { requests_per_second: 0 } }, 'limits.requests_per_second must be at least 1'],
  [{ limits: { max_workflows: 1e12 } }, 'limits.max_workflows must be at most 1000000000'],
  [
    { limits: { memory_tier: 'gold' } },
    'limits.memory_tier must be free, starter, team, business or enterprise',
  ],
] as const) {
  test(`400: ${message}`, async (t) => {
    const { api } = t.context;
    const answer = await put(api, 'default', changes);
    t.is(answer.status, 400);
    t.is(answer.error, `bad request: ${message}`);
    const read = await api.call({ path: '/tenants/default' });
    t.like(read.body, { status: 'active', policy: {}, limits: {} });
  });
}

test('409: the tenant that manages the others stays active', async (t) => {
  for (const status of ['suspended', 'archived']) {
    t.is((await put(t.context.api, 'default', { status })).status, 409);
  }
});

test('404: an unknown tenant, with any id', async (t) => {
  const { api } = t.context;
  for (const id of ['nobody', 'No%20Body', '..%2Fdefault', 'x'.repeat(500)]) {
    t.is((await api.call({ path: `/tenants/${id}` })).status, 404);
    t.is((await put(api, id, { name: 'x' })).status, 404);
  }
});

test('403, 404: operators of other tenants see their own and change none', async (t) => {
  const { api } = t.context;
  const [own, other] = [await makeTenant(api), await makeTenant(api)];
  const token = await api.mint({ role: 'operator', tenant: own });
  t.like((await api.call({ path: `/tenants/${own}`, token })).body, { id: own });
  t.is((await api.call({ path: `/tenants/${other}`, token })).status, 404);
  t.is((await api.call({ path: '/tenants/default', token })).status, 404);
  const listed = await api.call({ path: '/tenants', token });
  t.deepEqual(
    (listed.body['tenants'] as { id: string }[]).map(({ id }) => id),
    [own],
  );
  const rows = async () =>
    (await api.database.contents())['tenants']?.filter((row) =>
      [own, other, 'nobody', 'mine'].includes((JSON.parse(row) as string[])[0] ?? ''),
    );
  const before = await rows();
  for (const id of [own, other, 'nobody']) {
    const changed = await api.call({
      method: 'PUT',
      path: `/tenants/${id}`,
      body: { limits: {} },
      token,
    });
    t.is(changed.status, 403);
    t.is(changed.error, 'insufficient role — operator of tenant default required');
  }
  const created = await api.call({ path: '/tenants', body: { id: 'mine', name: 'x' }, token });
  t.is(created.status, 403);
  t.deepEqual(await rows(), before);
});

test('403: a suspended tenant reads and does not write, at once', async (t) => {
  const { api } = t.context;
  const id = await makeTenant(api);
  const token = await api.mint({ role: 'developer', tenant: id });
  const workflow = { path: '/workflows', body: { ir: passing('w') }, token };
  t.is((await api.call(workflow)).status, 201);
  await put(api, id, { status: 'suspended' });
  t.is((await api.call({ path: '/executions', token })).status, 200);
  const refused = await api.call(workflow);
  t.is(refused.status, 403);
  t.is(refused.error, `tenant ${id} is suspended and may only read`);
  const claim = { worker_id: 'w', queue_types: ['python_tool'] };
  t.is((await api.call({ path: '/work-items/claim', body: claim, token })).status, 403);
  // The suspension also applies to an operator who acts for the tenant.
  const headers = { 'x-tenant-id': id };
  t.is((await api.call({ path: '/workflows', body: { ir: passing('w') }, headers })).status, 403);
  await put(api, id, { status: 'active' });
  t.is((await api.call(workflow)).status, 201);
});

test('403: an archived tenant does not even read', async (t) => {
  const { api } = t.context;
  const id = await makeTenant(api, { status: 'archived' });
  const token = await api.mint({ role: 'operator', tenant: id });
  const refused = await api.call({ path: '/executions', token });
  t.is(refused.status, 403);
  t.is(refused.error, `tenant ${id} is archived`);
  const headers = { 'x-tenant-id': id };
  t.is((await api.call({ path: '/executions', headers })).status, 403);
  t.like((await api.call({ path: `/tenants/${id}` })).body, { status: 'archived' });
});

test('429: twenty racing starts never exceed max_concurrent_executions', async (t) => {
  const { api } = t.context;
  const id = await makeTenant(api, { limits: { max_concurrent_executions: 7 } });
  const token = await api.mint({ role: 'developer', tenant: id });
  await api.call({ path: '/workflows', body: { ir: waiting('w') }, token });
  const start = () =>
    api.call({ path: '/executions', body: { workflow_id: 'w', input: {} }, token });
  const answers = await Promise.all(Array.from({ length: 20 }, start));
  const started = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status === 429);
  t.is(started.length, 7);
  t.is(refused.length, 13);
  for (const answer of refused) {
    t.deepEqual(answer.body, {
      error:
        'limit exceeded: the tenant has all executions that may run at a time (7): start again when one has ended, ' +
        'or set limits.when_full of the tenant to "queue", so that starts wait',
      limit: 'max_concurrent_executions',
      max: 7,
    });
    t.is(answer.headers.get('retry-after'), '1');
  }
  const [first] = started;
  if (first === undefined) throw new Error('none was started');
  const path = `/executions/${textOf(first, 'execution_id')}/cancel`;
  await api.call({ method: 'POST', path, token });
  t.is((await start()).status, 201);
  t.is((await start()).status, 429);
});

test('429: max_workflows counts workflows, not their versions', async (t) => {
  const { api } = t.context;
  const id = await makeTenant(api, { limits: { max_workflows: 2 } });
  const token = await api.mint({ role: 'developer', tenant: id });
  const register = (ir: JsonObject) => api.call({ path: '/workflows', body: { ir }, token });
  t.is((await register(passing('a'))).status, 201);
  t.is((await register(passing('b'))).status, 201);
  const refused = await register(passing('c'));
  t.is(refused.status, 429);
  t.like(refused.body, { limit: 'max_workflows', max: 2 });
  t.is(refused.headers.get('retry-after'), '60');
  t.is((await register({ ...passing('b'), version: '2' })).status, 201);
  t.is((await register(tooling('a'))).status, 201);
});

test('429: nothing is started while max_queued_work_items wait', async (t) => {
  const { api } = t.context;
  const id = await makeTenant(api, { limits: { max_queued_work_items: 2 } });
  const token = await api.mint({ role: 'developer', tenant: id });
  await api.call({ path: '/workflows', body: { ir: tooling('w') }, token });
  const start = () =>
    api.call({ path: '/executions', body: { workflow_id: 'w', input: {} }, token });
  t.is((await start()).status, 201);
  t.is((await start()).status, 201);
  const refused = await start();
  t.is(refused.status, 429);
  t.like(refused.body, { limit: 'max_queued_work_items', max: 2 });
  const claim = { worker_id: 'w', queue_types: ['python_tool'] };
  await api.call({ path: '/work-items/claim', body: claim, token });
  t.is((await start()).status, 201);
});

test('429: a tenant that is faster than requests_per_second', async (t) => {
  let now = 0;
  const api = await startTestApi({ now: () => now });
  const id = await makeTenant(api, { limits: { requests_per_second: 2 } });
  const token = await api.mint({ role: 'viewer', tenant: id });
  const read = () => api.call({ path: '/executions', token });
  t.deepEqual([(await read()).status, (await read()).status], [200, 200]);
  const refused = await read();
  t.is(refused.status, 429);
  t.deepEqual(refused.body, {
    error: 'limit exceeded: the tenant may send 2 requests per second',
    limit: 'requests_per_second',
    max: 2,
  });
  t.is(refused.headers.get('retry-after'), '1');
  t.is((await api.call({ path: '/executions' })).status, 200);
  now += 500;
  t.deepEqual([(await read()).status, (await read()).status], [200, 429]);
  now += 60_000;
  const answers = [await read(), await read(), await read()];
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 429],
  );
  await api.close();
});
