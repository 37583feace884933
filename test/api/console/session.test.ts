import test from 'ava';

import { readEventStream } from '../../support/event-stream.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { startWorkflow } from '../support/workflows.ts';
import { FROM_PAGE, send, signIn, startWithConsole } from './support.ts';

const SESSION = '/console/api/session';

async function readSession(api: TestApi, cookie: string): Promise<unknown> {
  const answer = await send(api, SESSION, { headers: { Cookie: cookie } });
  return answer.json();
}

test('200: a token becomes a cookie that no script and no other site can use', async (t) => {
  const api = await startWithConsole(t);
  const answer = await send(api, SESSION, {
    method: 'POST',
    headers: FROM_PAGE,
    body: { token: ` ${api.operatorToken}\n` },
  });
  t.is(answer.status, 200);
  const cookie = answer.headers.get('set-cookie') ?? '';
  t.regex(cookie, /^svc-session=[\w-]+; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  t.false(cookie.includes(api.operatorToken));
  const [session = ''] = cookie.split(';');
  t.deepEqual(await readSession(api, session), { authenticated: true, needs_token: true });
  const list = await send(api, '/console/api/executions?limit=1', { headers: { Cookie: session } });
  t.is(list.status, 200);
});

test('200: the cookie is for HTTPS alone where the browser came by HTTPS', async (t) => {
  const api = await startWithConsole(t, { publicUrl: 'https://svc.example' });
  const answer = await send(api, SESSION, {
    method: 'POST',
    headers: { ...FROM_PAGE, Origin: 'https://svc.example' },
    body: { token: api.operatorToken },
  });
  t.regex(answer.headers.get('set-cookie') ?? '', /; Secure$/);
});

test('401: a wrong token makes no session, and a revoked one ends it', async (t) => {
  const api = await startWithConsole(t);
  const answer = await send(api, SESSION, {
    method: 'POST',
    headers: FROM_PAGE,
    body: { token: 'svc_wrong' },
  });
  t.is(answer.status, 401);
  t.is(answer.headers.get('set-cookie'), null);
  const cookie = await signIn(api, await api.mint({ role: 'viewer' }));
  const { body } = await api.call({ path: '/tokens' });
  const tokens = body['tokens'] as readonly { readonly token_id: string; readonly role: string }[];
  const viewer = tokens.find(({ role }) => role === 'viewer');
  t.is((await api.call({ method: 'DELETE', path: `/tokens/${viewer?.token_id}` })).status, 200);
  const refused = await send(api, '/console/api/executions', { headers: { Cookie: cookie } });
  t.is(refused.status, 401);
  t.deepEqual(await readSession(api, cookie), { authenticated: false, needs_token: true });
});

test('400: a token that no header could carry', async (t) => {
  const api = await startWithConsole(t);
  for (const body of [
    {},
    { token: 1 },
    { token: '' },
    { token: 'a b' },
    { token: 'x'.repeat(4_000) },
  ]) {
    const answer = await send(api, SESSION, { method: 'POST', headers: FROM_PAGE, body });
    t.is(answer.status, 400, JSON.stringify(body).slice(0, 40));
  }
});

test('204: signing out removes the cookie', async (t) => {
  const api = await startWithConsole(t);
  const answer = await send(api, SESSION, { method: 'DELETE', headers: FROM_PAGE });
  t.is(answer.status, 204);
  t.regex(answer.headers.get('set-cookie') ?? '', /^svc-session=; Max-Age=0; /);
});

test('405: another method on the session', async (t) => {
  const api = await startWithConsole(t);
  const answer = await send(api, SESSION, { method: 'PUT', headers: FROM_PAGE, body: {} });
  t.is(answer.status, 405);
});

test('401: the API itself ignores the cookie, and the console ignores other credentials', async (t) => {
  const api = await startWithConsole(t);
  const cookie = await signIn(api, api.operatorToken);
  t.is((await send(api, '/executions', { headers: { Cookie: cookie } })).status, 401);
  const headers = { Authorization: `Bearer ${api.operatorToken}` };
  t.is((await send(api, '/console/api/executions', { headers })).status, 401);
  const proxied = { Cookie: cookie, Authorization: 'Basic cHJveHk6cHJveHk=' };
  t.is((await send(api, '/console/api/executions', { headers: proxied })).status, 200);
});

test('403: a page from elsewhere cannot use the session', async (t) => {
  const api = await startWithConsole(t);
  const cookie = await signIn(api, api.operatorToken);
  const list = (headers: Readonly<Record<string, string>>) =>
    send(api, '/console/api/executions', { headers: { Cookie: cookie, ...headers } });
  t.is((await list({ Origin: 'https://evil.example' })).status, 403);
  t.is((await list({ Origin: 'null' })).status, 403);
  t.is((await list({ 'Sec-Fetch-Site': 'same-site' })).status, 403);
  // A proxy has changed `Host`: the browser knows better.
  const behindProxy = { Origin: 'https://svc.example', 'Sec-Fetch-Site': 'same-origin' };
  t.is((await list(behindProxy)).status, 200);
  const bare = await send(api, '/console/api/workflows/none/pause', {
    method: 'POST',
    headers: { Cookie: cookie, 'Content-Type': 'application/json' },
    body: {},
  });
  t.is(bare.status, 403);
  t.regex(JSON.stringify(await bare.json()), /X-Svc-Console/);
});

test('403: a role that may not gets the same answer as from the API', async (t) => {
  const api = await startWithConsole(t);
  const cookie = await signIn(api, await api.mint({ role: 'viewer' }));
  const answer = await send(api, '/console/api/workflows/none/pause', {
    method: 'POST',
    headers: { ...FROM_PAGE, Cookie: cookie },
    body: {},
  });
  t.is(answer.status, 403);
  t.deepEqual(await answer.json(), {
    error: 'insufficient role — developer or operator required',
    role: 'viewer',
    allowed_roles: ['operator', 'developer'],
  });
});

test('200: without authentication no session is needed, and rebound names stay out', async (t) => {
  const api = await startWithConsole(t, { auth: { enabled: false } });
  t.deepEqual(await readSession(api, ''), { authenticated: true, needs_token: false });
  t.is((await send(api, '/console/api/executions')).status, 200);
  const foreign = { Origin: 'http://evil.example', 'Sec-Fetch-Site': 'same-origin' };
  t.is((await send(api, '/console/api/executions', { headers: foreign })).status, 403);
});

test('404: an address below the console that no route has', async (t) => {
  const api = await startWithConsole(t);
  const cookie = await signIn(api, api.operatorToken);
  const answer = await send(api, '/console/api/none', { headers: { Cookie: cookie } });
  t.is(answer.status, 404);
});

test('metrics name the route of the API, not the address of the console', async (t) => {
  const api = await startTestApi({ settings: { console: { folder: '/nonexistent' } } });
  t.teardown(() => api.close());
  const cookie = await signIn(api, api.operatorToken);
  const reported = api.nextReport('/executions/:id');
  await send(api, '/console/api/executions/exec_none', { headers: { Cookie: cookie } });
  t.is((await reported).status, 404);
});

test('200: the session reads an event stream, which ends with the token', async (t) => {
  const api = await startWithConsole(t);
  const cookie = await signIn(api, await api.mint({ role: 'viewer' }));
  const executionId = await startWorkflow(api, {
    ir: {
      workflow_id: 'waits',
      nodes: { wait: { kind: { type: 'human_approval', description: 'Go?' } } },
    },
  });
  const stream = await send(api, `/console/api/executions/${executionId}/events`, {
    headers: { Cookie: cookie, Accept: 'text/event-stream' },
  });
  t.is(stream.status, 200);
  t.regex(stream.headers.get('content-type') ?? '', /^text\/event-stream\b/);
  const events = readEventStream(stream);
  t.is((await events.next()).done, false);
  const { body } = await api.call({ path: '/tokens' });
  const tokens = body['tokens'] as readonly { readonly token_id: string; readonly role: string }[];
  const viewer = tokens.find(({ role }) => role === 'viewer');
  await api.call({ method: 'DELETE', path: `/tokens/${viewer?.token_id}` });
  let last = '';
  for await (const { data } of events) last = data;
  t.regex(last, /invalid or expired token/);
});
