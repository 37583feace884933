import test from 'ava';

import { buildOpenApi, templateOf } from '../../src/api/openapi/openapi.ts';
import { routes } from '../../src/api/routes.ts';

/** The interface document, "Endpoints", for the areas that exist. */
const CONTRACT = [
  'GET /health',
  'GET /ready',
  'GET /.well-known/did.json',
  'POST /workflows',
  'POST /executions',
  'GET /executions',
  'GET /executions/:id',
  'GET /executions/:id/events',
  'POST /executions/:id/cancel',
  'POST /executions/:id/approve',
  'POST /executions/:id/external-event',
  'POST /agents',
  'GET /agents',
  'GET /agents/:id',
  'POST /agents/discover',
  'POST /agents/:id/activate',
  'POST /agents/:id/deactivate',
  'POST /agents/:id/heartbeat',
  'GET /audit',
  'POST /tenants',
  'GET /tenants',
  'GET /tenants/:id',
  'PUT /tenants/:id',
  'GET /workers',
  'POST /work-items/claim',
  'POST /work-items/:id/heartbeat',
  'POST /work-items/:id/complete',
  'POST /work-items/:id/fail',
  'POST /v1/memory/settings',
  'GET /v1/memory/settings',
  'PATCH /v1/memory/settings',
  'POST /v1/memory/settings/test',
  'POST /v1/memory/add',
  'POST /v1/memory/recall',
  'POST /v1/memory/forget',
  'GET /v1/memory/facts',
  'GET /v1/memory/stats',
];

const listed = routes.map(({ method, path }) => `${method} ${path}`);

test('the contract’s endpoints exist, in its order', (t) => {
  t.deepEqual(
    listed.filter((route) => CONTRACT.includes(route)),
    CONTRACT,
  );
});

test('no route and no name is listed twice', (t) => {
  t.is(new Set(listed).size, routes.length);
  t.is(new Set(routes.map(({ name }) => name)).size, routes.length);
});

for (const endpoint of routes) {
  test(`${endpoint.method} ${endpoint.path} says all there is to say`, (t) => {
    t.regex(endpoint.name, /^[a-z]+(-[a-z]+)+$/);
    t.regex(endpoint.summary, /^[A-Z].*[^.]$/);
    const isAnswered = Object.keys(endpoint.replies).some((status) => status.startsWith('2'));
    t.true(isAnswered || endpoint.downloads !== null);
    t.is(endpoint.params !== null, endpoint.path.includes(':'));
    t.false(endpoint.method === 'GET' && endpoint.body !== null);
    t.false(endpoint.uploads !== null && endpoint.body !== null);
  });
}

test('writes need a writer, and only the root, health and the well-known documents are open', (t) => {
  for (const { method, access, path } of routes) {
    if (method !== 'GET') t.true(['write', 'approve', 'work', 'operate'].includes(access), path);
    const isOpen = path === '/' || path === '/health' || path.startsWith('/.well-known/');
    t.is(access === 'open', isOpen);
  }
});

test('the OpenAPI document has these routes and no others', (t) => {
  const { paths } = buildOpenApi({ routes, version: '0.0.0' }) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = routes.map(({ method, path }) => `${method} ${templateOf(path)}`);
  t.deepEqual(documented.toSorted(), expected.toSorted());
});

test('the OpenAPI document gives every path parameter and every reply a schema', (t) => {
  const document = JSON.stringify(buildOpenApi({ routes, version: '0.0.0' }));
  t.false(document.includes('"schema":{}'));
  for (const { path, params } of routes) {
    const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
    t.notThrows(() => params?.parse(Object.fromEntries(names.map((name) => [name, 'x']))));
  }
});
