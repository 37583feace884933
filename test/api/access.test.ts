import anyTest, { type TestFn } from 'ava';

import { routes } from '../../src/api/routes.ts';
import type { Access, Role } from '../../src/shared/domain/access.ts';
import { textOf } from './support/call-api.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;
const UNKNOWN_EXECUTION = 'exec_00000000000000000000000000000000';

test.before(async (t) => {
  t.context.api = await startTestApi({ auth: { apiKey: 'the-key' } });
});

test.after.always((t) => t.context.api.close());

const WRITERS = 'insufficient role — developer or operator required';
const ROLES = ['developer', 'reviewer', 'viewer', 'worker'] as const;
const READERS = 'insufficient role — viewer, reviewer, developer or operator required';
const REFUSALS: Readonly<
  Record<Access, Readonly<Record<Exclude<Role, 'operator'>, string | null>>>
> = {
  open: { developer: null, reviewer: null, viewer: null, worker: null },
  probe: { developer: null, reviewer: null, viewer: null, worker: READERS },
  read: { developer: null, reviewer: null, viewer: null, worker: READERS },
  approve: { developer: null, reviewer: WRITERS, viewer: WRITERS, worker: WRITERS },
  write: { developer: null, reviewer: WRITERS, viewer: WRITERS, worker: WRITERS },
  work: {
    developer: null,
    reviewer: WRITERS,
    viewer: WRITERS,
    worker: null,
  },
  fetch: { developer: null, reviewer: null, viewer: null, worker: null },
  operate: {
    developer: 'insufficient role — operator required',
    reviewer: 'insufficient role — operator required',
    viewer: 'insufficient role — operator required',
    worker: 'insufficient role — operator required',
  },
};

for (const endpoint of routes) {
  const path = endpoint.path.replace(':id', UNKNOWN_EXECUTION);
  const { method } = endpoint;

  if (endpoint.access !== 'open') {
    test(`401: ${method} ${endpoint.path} without a token, with any body`, async (t) => {
      const body = method === 'GET' ? {} : { body: '{' };
      const answer = await t.context.api.call({ method, path, token: null, ...body });
      t.is(answer.status, 401);
      t.deepEqual(answer.body, { error: 'invalid or expired token' });
      t.is(answer.headers.get('www-authenticate'), 'Bearer');
    });
  }

  if (endpoint.access !== 'open') {
    test(`404: ${method} ${endpoint.path} for a tenant that nobody made`, async (t) => {
      const body = method === 'GET' ? {} : { body: '{' };
      const headers = { 'x-tenant-id': 'ghost' };
      const answer = await t.context.api.call({ method, path, headers, ...body });
      t.is(answer.status, 404);
      t.deepEqual(answer.body, { error: 'not found: tenant ghost' });
    });
  }

  for (const role of ROLES) {
    const refusal = REFUSALS[endpoint.access][role];
    test(`${refusal === null ? 'allowed' : '403'}: ${method} ${endpoint.path} as ${role}`, async (t) => {
      const { api } = t.context;
      const body = method === 'GET' ? {} : { body: '{' };
      const answer = await api.call({ method, path, token: await api.mint({ role }), ...body });
      if (refusal === null) t.false([401, 403].includes(answer.status));
      else {
        t.is(answer.status, 403);
        const allowed = [
          'operator',
          ...ROLES.filter((one) => REFUSALS[endpoint.access][one] === null),
        ];
        t.like(answer.body, { error: refusal, role });
        const { allowed_roles: told } = answer.body as { allowed_roles: string[] };
        t.deepEqual(told.toSorted(), allowed.toSorted());
      }
    });
  }
}

test('401: a token that is unknown, malformed or of another scheme', async (t) => {
  const { api } = t.context;
  for (const authorization of [
    `Bearer svc_${'x'.repeat(43)}`,
    'Bearer x',
    'Basic eDp5',
    'Bearer',
  ]) {
    const answer = await api.call({ path: '/executions', token: null, headers: { authorization } });
    t.is(answer.status, 401, authorization);
  }
});

test('401: a revoked token, at once', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/tokens', body: { name: 'short', role: 'viewer' } });
  const token = textOf(created, 'token');
  t.is((await api.call({ path: '/executions', token })).status, 200);
  await api.call({ method: 'DELETE', path: `/tokens/${textOf(created, 'token_id')}` });
  t.is((await api.call({ path: '/executions', token })).status, 401);
});

test('200: the configured API key is an operator', async (t) => {
  const answer = await t.context.api.call({ path: '/tokens', token: 'the-key' });
  t.is(answer.status, 200);
});

test('200: with authentication off everyone is an operator', async (t) => {
  const api = await startTestApi({ auth: { enabled: false } });
  t.is((await api.call({ path: '/tokens', token: null })).status, 200);
  t.is((await api.call({ path: '/tokens', token: 'nonsense' })).status, 200);
  await api.close();
});

test('allowed: a reviewer approves where auth.reviewers_may_approve is set', async (t) => {
  const api = await startTestApi({ auth: { reviewersMayApprove: true } });
  const token = await api.mint({ role: 'reviewer' });
  const path = `/executions/${UNKNOWN_EXECUTION}`;
  const approval = { path: `${path}/approve`, body: { decision: 'approved' }, token };
  t.is((await api.call(approval)).status, 404);
  t.is((await api.call({ method: 'POST', path: `${path}/cancel`, token })).status, 403);
  await api.close();
});

test('403: a reviewer who may not approve learns which setting would allow it, and nobody else does', async (t) => {
  const { api } = t.context;
  const path = `/executions/${UNKNOWN_EXECUTION}`;
  const approval = { path: `${path}/approve`, body: { decision: 'approved' } };
  const reviewer = await api.mint({ role: 'reviewer' });
  const hint = 'set auth.reviewers_may_approve = true to let the role reviewer decide approvals';
  t.like((await api.call({ ...approval, token: reviewer })).body, { error: WRITERS, hint });
  const cancel = { method: 'POST', path: `${path}/cancel`, token: reviewer } as const;
  t.false('hint' in (await api.call(cancel)).body);
  const viewer = await api.mint({ role: 'viewer' });
  t.false('hint' in (await api.call({ ...approval, token: viewer })).body);
});

test('200: an operator of the default tenant acts for the tenant in X-Tenant-Id', async (t) => {
  const { api } = t.context;
  await api.makeTenant('customer');
  const headers = { 'x-tenant-id': 'customer' };
  const body = { name: 'theirs', role: 'viewer' };
  const created = await api.call({ path: '/tokens', body, headers });
  t.is(created.body['tenant_id'], 'customer');
  const names = async (tenant: Readonly<Record<string, string>>) =>
    (
      (await api.call({ path: '/tokens', headers: tenant })).body['tokens'] as { name: string }[]
    ).map(({ name }) => name);
  t.deepEqual(await names(headers), ['theirs']);
  t.false((await names({})).includes('theirs'));
});

test('403: X-Tenant-Id from anyone else, unless it names their own tenant', async (t) => {
  const { api } = t.context;
  const callers = [
    { token: await api.mint({ role: 'operator', tenant: 'acme' }), own: 'acme' },
    { token: await api.mint({ role: 'developer' }), own: 'default' },
  ];
  for (const { token, own } of callers) {
    for (const tenant of ['other', 'NO TENANT']) {
      const answer = await api.call({
        path: '/executions',
        token,
        headers: { 'x-tenant-id': tenant },
      });
      t.is(answer.status, 403);
      t.is(answer.error, 'insufficient role — operator of tenant default required');
    }
    const headers = { 'x-tenant-id': own };
    t.is((await api.call({ path: '/executions', token, headers })).status, 200);
  }
});

test('400: X-Tenant-Id that is no tenant id', async (t) => {
  const headers = { 'x-tenant-id': 'No Tenant' };
  const answer = await t.context.api.call({ path: '/executions', headers });
  t.is(answer.status, 400);
});

test('404: objects of another tenant do not exist', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'operator', tenant: 'other' });
  const ir = { workflow_id: 'ours', nodes: { a: { kind: 'pass' } }, edges: [] };
  await api.call({ path: '/workflows', body: { ir } });
  const started = await api.call({ path: '/executions', body: { workflow_id: 'ours', input: {} } });
  const path = `/executions/${textOf(started, 'execution_id')}`;
  t.is((await api.call({ path })).status, 200);
  for (const [method, suffix] of [
    ['GET', ''],
    ['GET', '/events'],
    ['GET', '/explain'],
    ['GET', '/approvals'],
    ['POST', '/cancel'],
  ] as const) {
    const answer = await api.call({ method, path: `${path}${suffix}`, token });
    t.is(answer.status, 404, suffix);
  }
  t.is((await api.call({ path: '/workflows/ours', token })).status, 404);
});
