import test from 'ava';

import { startTestApi } from '../support/test-api.ts';

test('each request is reported once, under the template of its route', async (t) => {
  const api = await startTestApi();
  const seen = [];
  for (const [method, path, route] of [
    ['GET', '/executions/exec_1', '/executions/:id'],
    ['GET', '/health', '/health'],
    ['GET', '/no/such/path', 'unmatched'],
    ['DELETE', '/health', 'unmatched'],
  ] as const) {
    const report = api.nextReport(route);
    await api.call({ method, path });
    const { seconds, ids, ...rest } = await report;
    t.regex(ids['request_id'] ?? '', /^[0-9a-f-]{36}$/);
    t.true(seconds >= 0 && seconds < 60);
    seen.push(rest);
  }
  t.deepEqual(seen, [
    { method: 'GET', route: '/executions/:id', status: 404 },
    { method: 'GET', route: '/health', status: 200 },
    { method: 'GET', route: 'unmatched', status: 404 },
    { method: 'DELETE', route: 'unmatched', status: 405 },
  ]);
  t.is(api.reports.length, 4);
  await api.close();
});

test('with it comes what it was about, as far as it is known and looks like an id', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  const idsOf = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const report = api.nextReport('/executions/:id');
    await api.call({ method: 'GET', path, headers: { 'x-request-id': 'r', ...headers } });
    return (await report).ids;
  };
  const known = { request_id: 'r', tenant_id: 'default' };
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  t.deepEqual(
    await idsOf('/executions/exec_1', { traceparent: `00-${trace}-00f067aa0ba902b7-01` }),
    { ...known, execution_id: 'exec_1', trace_id: trace },
  );
  t.deepEqual(await idsOf('/executions/a%0Ab', { traceparent: 'none' }), known);
});
