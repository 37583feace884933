import test from 'ava';

import { startTestApi } from '../support/test-api.ts';
import { rawCall } from '../support/raw-call.ts';

const OPEN = { auth: { enabled: false } };

function get(headers: readonly string[]): string {
  return ['GET /executions HTTP/1.1', ...headers, 'Connection: close', '', ''].join('\r\n');
}

test('403: without tokens, a page of another origin or name does nothing', async (t) => {
  const api = await startTestApi(OPEN);
  t.teardown(() => api.close());
  for (const headers of [
    ['Host: rebound.example'],
    ['Host: localhost', 'Origin: http://evil.example'],
    ['Host: 127.0.0.1', 'Origin: null'],
  ]) {
    const answer = await rawCall(api.port, [get(headers)]);
    t.is(answer.status, 403, headers.join());
  }
});

test('200: without tokens, this machine under any of its loopback names is served', async (t) => {
  const api = await startTestApi(OPEN);
  t.teardown(() => api.close());
  for (const headers of [
    [`Host: localhost:${api.port}`],
    [`Host: 127.0.0.1:${api.port}`, `Origin: ${api.url}`],
    [`Host: [::1]:${api.port}`],
  ]) {
    const answer = await rawCall(api.port, [get(headers)]);
    t.is(answer.status, 200, headers.join());
  }
});

test('200: where a token is asked for, the name does not matter', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  const headers = ['Host: svc.example', `Authorization: Bearer ${api.operatorToken}`];
  const answer = await rawCall(api.port, [get(headers)]);
  t.is(answer.status, 200);
});
