import test from 'ava';

import { startTestApi } from '../support/test-api.ts';

test('200: health needs no token and stays 200 when the database is away', async (t) => {
  const api = await startTestApi({ ping: () => Promise.reject(new Error('away')) });
  const answer = await api.call({ path: '/health', token: null });
  t.is(answer.status, 200);
  t.deepEqual(answer.body, { status: 'ok', version: '1.2.3', db: 'disconnected' });
  await api.close();
});

test('200: health ignores any token', async (t) => {
  const api = await startTestApi();
  const answer = await api.call({ path: '/health', token: 'nonsense' });
  t.is(answer.status, 200);
  t.is(answer.body['db'], 'connected');
  await api.close();
});

test('200: readiness takes any token', async (t) => {
  const api = await startTestApi();
  const answer = await api.call({ path: '/ready', token: await api.mint({ role: 'viewer' }) });
  t.is(answer.status, 200);
  t.deepEqual(answer.body, { status: 'ok', version: '1.2.3', db: 'connected' });
  await api.close();
});

test('200: readiness is open where auth.open_ready is set', async (t) => {
  const api = await startTestApi({ auth: { openReady: true } });
  t.is((await api.call({ path: '/ready', token: null })).status, 200);
  await api.close();
});

test('401: readiness without a token', async (t) => {
  const api = await startTestApi();
  const answer = await api.call({ path: '/ready', token: null });
  t.is(answer.status, 401);
  t.deepEqual(answer.body, { error: 'invalid or expired token' });
  t.is(answer.headers.get('www-authenticate'), 'Bearer');
  await api.close();
});

test('503: not ready while the database is away', async (t) => {
  const api = await startTestApi({ ping: () => Promise.reject(new Error('away')) });
  const answer = await api.call({ path: '/ready' });
  t.is(answer.status, 503);
  t.is(answer.body['status'], 'unavailable');
  t.is(answer.body['db'], 'disconnected');
  await api.close();
});

test('many health checks ask the database once', async (t) => {
  let pings = 0;
  const api = await startTestApi({
    ping: async () => void pings++,
    now: () => 0,
  });
  await Promise.all(Array.from({ length: 20 }, () => api.call({ path: '/health', token: null })));
  t.is(pings, 1);
  await api.close();
});
