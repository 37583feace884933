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
    const { seconds, ...rest } = await report;
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
