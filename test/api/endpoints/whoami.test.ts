import test from 'ava';

import { ROLES } from '../../../src/shared/domain/access.ts';
import { routes } from '../../../src/api/routes.ts';
import { startTestApi } from '../support/test-api.ts';

interface Route {
  readonly method: string;
  readonly path: string;
}

/** They refuse operators of other tenants once they have read the body. */
const FOR_MANAGERS = ['POST /tenants', 'PUT /tenants/:id'];

function pathsOf(permissions: unknown): readonly string[] {
  return (permissions as readonly Route[]).map(({ method, path }) => `${method} ${path}`);
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`200: a caller learns its tenant, its role and the routes that it may use (${dialect})`, async (t) => {
    const api = await startTestApi({ dialect });
    t.teardown(() => api.close());
    for (const role of ROLES) {
      const token = await api.mint({ role, tenant: 'alpha' });
      const { status, body } = await api.call({ path: '/whoami', token });
      const { permissions, ...who } = body;
      t.is(status, 200);
      t.deepEqual(who, {
        tenant_id: 'alpha',
        role,
        name: `test ${role}`,
        is_operator: role === 'operator',
        authenticated: true,
        manages_tenants: false,
        version: '1.2.3',
      });
      // A path with parameters is answered for an object that nobody has: 404, or a later check.
      const permitted = pathsOf(permissions);
      for (const { method, path, access } of routes) {
        if (access === 'open' || FOR_MANAGERS.includes(`${method} ${path}`)) continue;
        const answer = await fetch(api.url + path.replaceAll(/:\w+/g, 'none'), {
          method,
          headers: { authorization: `Bearer ${token}`, connection: 'close' },
        });
        await answer.arrayBuffer();
        t.is(
          answer.status !== 403,
          permitted.includes(`${method} ${path}`),
          `${role} ${method} ${path}`,
        );
      }
    }
  });
}

test('200: an operator of the default tenant may name another tenant', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  await api.makeTenant('alpha');
  const { body } = await api.call({ path: '/whoami', headers: { 'X-Tenant-Id': 'alpha' } });
  t.like(body, { tenant_id: 'alpha', role: 'operator', manages_tenants: true });
  t.true(pathsOf(body['permissions']).includes('POST /tenants'));
});

test('200: an operator of another tenant may not make tenants', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  const token = await api.mint({ role: 'operator', tenant: 'alpha' });
  const { body } = await api.call({ path: '/whoami', token });
  t.deepEqual(
    pathsOf(body['permissions']).filter((route) => FOR_MANAGERS.includes(route)),
    [],
  );
  const tenant = { id: 'beta', name: 'Beta' };
  t.is((await api.call({ path: '/tenants', body: tenant, token })).status, 403);
});

test('200: settings that open a route to a role count', async (t) => {
  const api = await startTestApi({ auth: { reviewersMayApprove: true } });
  t.teardown(() => api.close());
  const { body } = await api.call({ path: '/whoami', token: await api.mint({ role: 'reviewer' }) });
  t.true(pathsOf(body['permissions']).includes('POST /executions/:id/approve'));
});

test('200: without authentication everyone is the operator', async (t) => {
  const api = await startTestApi({ auth: { enabled: false } });
  t.teardown(() => api.close());
  const { body } = await api.call({ path: '/whoami', token: null });
  t.like(body, { tenant_id: 'default', role: 'operator', name: 'dev', authenticated: false });
});

test('401: without a token nobody is anyone', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  t.is((await api.call({ path: '/whoami', token: null })).status, 401);
});
