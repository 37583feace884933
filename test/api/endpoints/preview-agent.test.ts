import anyTest, { type TestFn } from 'ava';

import { HOSTILE_URLS } from '../../shared/security/hostile-urls.ts';
import { serveJson, startHttpServer } from '../../support/servers/http-server.ts';
import { freePort } from '../../support/servers/ports.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const OURS = '/.well-known/agent.json';
const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi({ allowPrivate: true });
});

test.after.always((t) => t.context.api.close());

test('200: a card is shown with what its discovery would do, and not stored', async (t) => {
  const { api } = t.context;
  const card = { id: 'seen', name: 'Seen', team: 'x', capabilities: { skills: ['add'] } };
  const server = await startHttpServer(serveJson({ [OURS]: card }));
  const seen = await preview(api, server.url);
  t.is(seen.status, 200);
  t.like(seen.body, { outcome: 'registers', agent_id: 'seen', discovered_from: server.url });
  t.like(seen.body['card'], { name: 'Seen', uri: server.url, team: 'x', autonomy: 'guided' });
  t.is((await api.call({ path: '/agents/seen' })).status, 404);
  await api.call({ path: '/agents/discover', body: { url: server.url } });
  t.like((await preview(api, server.url)).body, { outcome: 'refreshes', agent_id: 'seen' });
  await server.close();
});

test('200: a card without an id belongs to the agent that was discovered there', async (t) => {
  const { api } = t.context;
  const server = await startHttpServer(serveJson({ [OURS]: { name: 'nameless' } }));
  t.like((await preview(api, server.url)).body, { outcome: 'registers', agent_id: null });
  const found = await api.call({ path: '/agents/discover', body: { url: server.url } });
  const again = await preview(api, server.url);
  t.is(again.body['outcome'], 'refreshes');
  t.is(again.body['agent_id'], found.body['id']);
  await server.close();
});

test('200: the preview says that a card would not replace a registered agent', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/agents', body: { id: 'payroll', name: 'ours' } });
  const server = await startHttpServer(serveJson({ [OURS]: { id: 'payroll', name: 'theirs' } }));
  t.like((await preview(api, server.url)).body, { outcome: 'refuses', agent_id: 'payroll' });
  await server.close();
});

test('400: no URL, no card, and every hostile address', async (t) => {
  const { api } = t.context;
  t.is((await preview(api, 'agent')).status, 400);
  const server = await startHttpServer(serveJson({ [OURS]: { description: 'x' } }));
  const noCard = await preview(api, server.url);
  t.is(noCard.status, 400);
  t.regex(noCard.error, /is no valid agent card: name is required/);
  await server.close();
  const strict = await startTestApi({ allowPrivate: false });
  for (const [url] of HOSTILE_URLS) t.is((await preview(strict, url)).status, 400, url);
  await strict.close();
});

test('403: a viewer sends the service to no address', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'viewer' });
  const body = { url: 'http://127.0.0.1:1/' };
  t.is((await api.call({ path: '/agents/preview', body, token })).status, 403);
});

test('502: no server at the address', async (t) => {
  const port = await freePort();
  const answer = await preview(t.context.api, `http://127.0.0.1:${port}`);
  t.is(answer.status, 502);
  t.is(answer.error, `bad gateway: 127.0.0.1:${port} cannot be reached`);
});

function preview(api: TestApi, url: string) {
  return api.call({ path: '/agents/preview', body: { url } });
}
