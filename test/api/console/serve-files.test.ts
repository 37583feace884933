import test from 'ava';

import { startTestApi } from '../support/test-api.ts';
import { rawCall } from '../support/raw-call.ts';
import { FROM_PAGE, SCRIPT, send, startWithConsole, writeBuild } from './support.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('302: a browser at the root goes to the console, by a relative address', async (t) => {
  const api = await startWithConsole(t);
  for (const path of ['/', '/console']) {
    const answer = await send(api, path, { headers: BROWSER });
    t.is(answer.status, 302);
    t.is(answer.headers.get('location'), 'console/');
  }
});

test('200: a program at the root gets the links', async (t) => {
  const api = await startWithConsole(t);
  for (const headers of [{}, { Accept: 'application/json' }, { Accept: '*/*' }]) {
    const answer = await send(api, '/', { headers });
    t.is(answer.status, 200);
    t.like(await answer.json(), { name: 'svc', docs: '/docs' });
  }
});

test('200: every path below the console is its page, with the way back to its root', async (t) => {
  const api = await startWithConsole(t);
  for (const [path, base] of [
    ['/console/', './'],
    ['/console/executions', './'],
    ['/console/executions/', '../'],
    ['/console/executions/exec_1?tab=graph', '../'],
    ['/console/workflows/a.json/b', '../../'],
    ['/console/index.html', './'],
    ['/console/.hidden.js', './'],
  ] as const) {
    const answer = await send(api, path, { headers: BROWSER });
    t.is(answer.status, 200, path);
    t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    t.is(answer.headers.get('cache-control'), 'no-store');
    t.true((await answer.text()).includes(`<base href="${base}" />`), path);
  }
});

test('200: the policy of the page lets nothing in but its own files and styles with its nonce', async (t) => {
  const api = await startWithConsole(t);
  const nonces = new Set<string>();
  for (const path of ['/console/', '/console/']) {
    const answer = await send(api, path, { headers: BROWSER });
    const policy = answer.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /nonce="([^"]+)"/.exec(await answer.text()) ?? [];
    nonces.add(nonce);
    t.regex(policy, /script-src 'self';/);
    t.true(policy.includes(`style-src 'self' 'nonce-${nonce}';`));
    t.regex(policy, /frame-ancestors 'none'/);
    t.is(answer.headers.get('x-content-type-options'), 'nosniff');
    t.is(answer.headers.get('referrer-policy'), 'same-origin');
  }
  t.is(nonces.size, 2);
});

test('200: files with a hash in their name are kept forever, compressed where the browser can read that', async (t) => {
  const api = await startWithConsole(t);
  for (const [name, accepted, encoding] of [
    ['main-abc.js', 'br, gzip', 'gzip'],
    ['main-abc.js', 'identity', null],
    ['small-abc.js', 'br, gzip', null],
  ] as const) {
    const answer = await send(api, `/console/assets/${name}`, {
      headers: { 'Accept-Encoding': accepted },
    });
    t.is(answer.status, 200);
    t.is(answer.headers.get('content-encoding'), encoding);
    t.is(answer.headers.get('vary'), 'Accept-Encoding');
    t.is(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.is(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
    t.is(await answer.text(), SCRIPT);
  }
  const icon = await send(api, '/console/favicon.svg');
  t.is(icon.headers.get('cache-control'), 'no-cache');
  t.is(icon.headers.get('content-type'), 'image/svg+xml');
});

test('404: an asset that the build does not have, and any way out of its folder', async (t) => {
  const api = await startWithConsole(t);
  for (const path of [
    '/console/assets/none.js',
    '/console/assets/../../package.json',
    '/console/assets/%2e%2e/%2e%2e/package.json',
    '/console/assets/..%2f..%2fpackage.json',
    '/console/assets/./main-abc.js',
    '/console/assets/main-abc.js.gz',
  ]) {
    // Not `fetch`, which resolves dots itself.
    const answer = await rawCall(api.port, [
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    ]);
    t.is(answer.status, 404, path);
  }
});

test('405: a change of a page', async (t) => {
  const api = await startWithConsole(t);
  const answer = await send(api, '/console/', { method: 'POST', headers: FROM_PAGE, body: {} });
  t.is(answer.status, 405);
  t.is(answer.headers.get('allow'), 'GET, HEAD');
});

test('503: a console that is not built says how to build it, and is served once it is', async (t) => {
  const api = await startWithConsole(t, { isBuilt: false });
  const page = await send(api, '/console/', { headers: BROWSER });
  t.is(page.status, 503);
  t.regex(await page.text(), /npm run console:build/);
  const json = await send(api, '/console/', { headers: { Accept: 'application/json' } });
  t.is(json.status, 503);
  t.regex(JSON.stringify(await json.json()), /npm run console:build/);
  await writeBuild(api.folder);
  t.is((await send(api, '/console/', { headers: BROWSER })).status, 200);
});

test('404: nothing of the console is served where it is off', async (t) => {
  const api = await startTestApi({ settings: { console: null } });
  t.teardown(() => api.close());
  for (const path of ['/console', '/console/', '/console/api/session', '/console/assets/a.js']) {
    t.is((await send(api, path, { headers: BROWSER })).status, 404, path);
  }
  t.is((await send(api, '/', { headers: BROWSER })).status, 200);
});
