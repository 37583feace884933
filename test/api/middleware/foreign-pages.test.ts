import test, { type ExecutionContext } from 'ava';

import type { TenantId } from '../../../src/shared/domain/ids.ts';
import { createAuthority } from '../../support/servers/certificate-authority.ts';
import { requestOverTls } from '../support/request-over-tls.ts';
import { startTestApi, type TestApi, type TestApiOptions } from '../support/test-api.ts';
import { rawCall } from '../support/raw-call.ts';

const OPEN = { auth: { enabled: false } };

async function start(t: ExecutionContext, options: TestApiOptions): Promise<TestApi> {
  const api = await startTestApi(options);
  t.teardown(() => api.close());
  return api;
}

/** The statuses of a read, and of a write that a simple form of any page could send. */
async function statuses(api: TestApi, headers: readonly string[]): Promise<readonly number[]> {
  const send = async (line: string) =>
    (
      await rawCall(api.port, [
        [line, ...headers, 'Content-Length: 0', 'Connection: close', '', ''].join('\r\n'),
      ])
    ).status;
  const read = await send('GET /executions HTTP/1.1');
  return [read, await send('POST /workflows/none/pause HTTP/1.1')];
}

test('403: without tokens, a page of another origin or name does nothing', async (t) => {
  const api = await start(t, OPEN);
  const host = `Host: localhost:${api.port}`;
  for (const headers of [
    ['Host: rebound.example'],
    ['Host: rebound.example', 'Origin: http://rebound.example'],
    [host, 'Origin: http://evil.example'],
    [host, 'Origin: null'],
    [host, 'Origin: http://localhost:3000'],
    [host, `Origin: http://127.0.0.1:${api.port + 1}`],
    [host, 'Sec-Fetch-Site: cross-site'],
    [host, 'Sec-Fetch-Site: same-site'],
    // A page of a rebound name is of the same origin too, so that its word counts for nothing.
    [host, 'Origin: http://rebound.example', 'Sec-Fetch-Site: same-origin'],
    ['Host: rebound.example', 'Origin: http://rebound.example', 'Sec-Fetch-Site: same-origin'],
    [host, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image'],
    [host, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'],
  ]) {
    t.deepEqual(await statuses(api, headers), [403, 403], headers.join());
  }
});

test('403: without tokens, no route is open to a page from elsewhere', async (t) => {
  const api = await start(t, OPEN);
  for (const line of ['POST /mcp', 'POST /a2a/x', 'GET /docs', 'GET /health', 'OPTIONS /nothing']) {
    const request = [`${line} HTTP/1.1`, 'Host: localhost', 'Origin: http://evil.example'];
    const answer = await rawCall(api.port, [[...request, '', ''].join('\r\n')]);
    t.is(answer.status, 403, line);
  }
});

test('200: without tokens, this machine under any of its loopback names is served', async (t) => {
  const api = await start(t, OPEN);
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    const host = `${name}:${api.port}`;
    for (const headers of [
      [`Host: ${host}`],
      [`Host: ${host}`, `Origin: http://${host}`, 'Sec-Fetch-Site: same-origin'],
      [`Host: ${host}`, 'Sec-Fetch-Site: none'],
    ]) {
      t.deepEqual(await statuses(api, headers), [200, 404], headers.join());
    }
  }
});

test('200: a port that is forwarded to this one is this service too', async (t) => {
  const api = await start(t, OPEN);
  const headers = ['Host: localhost:8080', 'Origin: http://localhost:8080'];
  t.deepEqual(await statuses(api, headers), [200, 404]);
});

test('200: the public address is this service, under any name that a proxy uses', async (t) => {
  const api = await start(t, { ...OPEN, publicUrl: 'https://svc.example' });
  for (const host of ['svc.example', `127.0.0.1:${api.port}`]) {
    const headers = [`Host: ${host}`, 'Origin: https://svc.example'];
    t.deepEqual(await statuses(api, headers), [200, 404], host);
  }
  t.deepEqual(
    await statuses(api, ['Host: svc.example', 'Origin: https://x.svc.example']),
    [403, 403],
  );
});

test('200: somebody may follow a link here, which reads and changes nothing', async (t) => {
  const api = await start(t, OPEN);
  const visit = [
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
  ];
  t.deepEqual(await statuses(api, [`Host: localhost:${api.port}`, ...visit]), [200, 403]);
});

test('200: where a token is asked for, the name does not matter', async (t) => {
  const api = await start(t, {});
  const token = `Authorization: Bearer ${api.operatorToken}`;
  const headers = [
    'Host: svc.example',
    'Origin: https://app.example',
    'Sec-Fetch-Site: cross-site',
  ];
  t.deepEqual(await statuses(api, [...headers, token]), [200, 404]);
  t.deepEqual(await statuses(api, headers), [401, 401]);
});

test('403: a browser with a client certificate, for a page of another origin', async (t) => {
  const authority = createAuthority('Test authority');
  const issued = authority.issue({
    subject: [['CN', 'svc']],
    dnsNames: ['svc.example'],
    addresses: [[127, 0, 0, 1]],
  });
  const shown = authority.issue({ subject: [['CN', 'admin']] });
  const subjects = [
    { subject: 'CN=admin', role: 'operator', tenantId: 'default' as TenantId },
  ] as const;
  const api = await start(t, {
    tls: { ...issued, clientAuthorities: authority.certificate },
    auth: {
      method: { kind: 'mtls', subjects, currentDate: () => new Date(), acceptTokens: true },
    },
  });
  const send = async (headers: Readonly<Record<string, string>>) => {
    const common = { port: api.port, authority: authority.certificate, shown, headers };
    const read = await requestOverTls({ ...common, path: '/executions' });
    const write = await requestOverTls({
      ...common,
      method: 'POST',
      path: '/workflows/none/pause',
    });
    return [read.status, write.status];
  };
  const host = `127.0.0.1:${api.port}`;
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'none' },
    { origin: 'null' },
    { origin: 'https://localhost:3000' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    t.deepEqual(await send(headers), [403, 403], JSON.stringify(headers));
  }
  for (const headers of [
    {},
    { origin: `https://${host}`, 'sec-fetch-site': 'same-origin' },
    { host: 'svc.example', origin: 'https://svc.example' },
    // A proxy has changed `Host`: the browser compared the addresses that it knows.
    { origin: 'https://svc.example', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://app.example', authorization: `Bearer ${api.operatorToken}` },
  ]) {
    t.deepEqual(await send(headers), [200, 404], JSON.stringify(headers));
  }
});
