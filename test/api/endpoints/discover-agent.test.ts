import type { RequestListener } from 'node:http';
import anyTest, { type TestFn } from 'ava';

import { CARD_BYTES_MAX } from '../../../src/shared/domain/agents/read-agent-card.ts';
import { A2A_CARDS, ADDRESS } from '../../shared/domain/agents/a2a-cards.ts';
import { HOSTILE_URLS } from '../../shared/security/hostile-urls.ts';
import { serveJson, startHttpServer } from '../../support/servers/http-server.ts';
import { freePort } from '../../support/servers/ports.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const OURS = '/.well-known/agent.json';
const A2A = '/.well-known/agent-card.json';
const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi({ allowPrivate: true });
});

test.after.always((t) => t.context.api.close());

test('201: the card at agent.json is registered, with the whole agent in the answer', async (t) => {
  const { api } = t.context;
  const card = { id: 'found', name: 'Found', uri: 'https://found.example.com', team: 'x' };
  const server = await startHttpServer(serveJson({ [OURS]: card }));
  const found = await discover(api, `${server.url}/`);
  t.is(found.status, 201);
  t.like(found.body, { ...card, status: 'registered', discovered_from: server.url, card });
  t.deepEqual((await api.call({ path: '/agents/found' })).body, found.body);
  t.deepEqual(
    server.requests.map(({ url, method, headers }) => [url, method, headers.authorization]),
    [[OURS, 'GET', undefined]],
  );
  await server.close();
});

for (const [version, card] of Object.entries(A2A_CARDS)) {
  test(`201: a card of A2A ${version} is found where A2A keeps it`, async (t) => {
    const { api } = t.context;
    const server = await startHttpServer(serveJson({ [version < '0.3' ? OURS : A2A]: card }));
    const found = await discover(api, server.url);
    t.is(found.status, 201);
    t.like(found.body, { uri: ADDRESS, name: 'Router', auth: { type: 'bearer_token' } });
    t.like(found.body['capabilities'], { protocols: ['a2a'], streaming: true });
    await server.close();
  });
}

test('201: a card without an address is at the one it was discovered at', async (t) => {
  const server = await startHttpServer(serveJson({ [`/team/x${OURS}`]: { name: 'x' } }));
  const found = await discover(t.context.api, `${server.url}/team/x/?q=1#part`);
  t.is(found.status, 201);
  t.is(found.body['uri'], `${server.url}/team/x`);
  await server.close();
});

test('201: discovering again refreshes the card of the same agent', async (t) => {
  const { api } = t.context;
  const documents: Record<string, unknown> = { [OURS]: { name: 'x', version: '1' } };
  const server = await startHttpServer((...exchange) => serveJson(documents)(...exchange));
  const first = await discover(api, server.url);
  await api.call({ method: 'POST', path: `/agents/${textOf(first, 'id')}/activate` });
  documents[OURS] = { name: 'x', version: '2' };
  const second = await discover(api, server.url);
  t.is(second.status, 201);
  t.like(second.body, { id: first.body['id'], version: '2', status: 'active' });
  await server.close();
});

test('201: redirects are followed, and what answers pages everywhere does no harm', async (t) => {
  const server = await startHttpServer((request, response) => {
    if (request.url === A2A) response.writeHead(302, { Location: '/card' }).end();
    else if (request.url === '/card') {
      response.writeHead(200, { 'Content-Type': 'application/a2a+json; charset=utf-8' });
      response.end(JSON.stringify(A2A_CARDS['1.0']));
    } else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>');
  });
  const found = await discover(t.context.api, server.url);
  t.is(found.status, 201);
  t.is(found.body['name'], 'Router');
  await server.close();
});

test('400: a body without a URL', async (t) => {
  const { api } = t.context;
  for (const body of [
    {},
    { url: null },
    { url: 5 },
    { url: '' },
    { url: 'agent' },
    { url: '/x' },
  ]) {
    const answer = await api.call({ path: '/agents/discover', body });
    t.is(answer.status, 400, JSON.stringify(body));
  }
});

test('400: every hostile address, told without what is behind it', async (t) => {
  const api = await startTestApi({ allowPrivate: false });
  for (const [url] of HOSTILE_URLS) {
    const answer = await discover(api, url);
    t.is(answer.status, 400, url);
    t.regex(answer.error, /^bad request: (url is not a URL|.* (is at an address|is not an http))/);
  }
  t.deepEqual((await api.call({ path: '/agents' })).body, {
    agents: [],
    total: 0,
    next_cursor: null,
  });
  await api.close();
});

test('400: a redirect to an address that is refused', async (t) => {
  const server = await startHttpServer((_request, response) => {
    response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data/' }).end();
  });
  const answer = await discover(t.context.api, server.url);
  t.is(answer.status, 400);
  t.is(
    answer.error,
    'bad request: 169.254.169.254 is at an address that may not be reached from here',
  );
  await server.close();
});

const NO_CARDS: Readonly<Record<string, RequestListener>> = {
  'a page': answer('text/html', '<h1>{}</h1>'),
  'a card under another content type': answer('text/plain', '{"name":"x"}'),
  'a card without a content type': (_request, response) => void response.end('{"name":"x"}'),
  'broken JSON': answer('application/json', '{"name":'),
  'bytes that are not UTF-8': answer('application/json', Buffer.from([0x22, 0xff, 0x22])),
  'a list': answer('application/json', '[{"name":"x"}]'),
  null: answer('application/json', 'null'),
  'a card without a name': answer('application/json', '{"description":"x"}'),
  'a card with a prototype': answer('application/json', '{"name":"x","__proto__":{"y":1}}'),
  'a card with a lone surrogate': answer('application/json', '{"name":"\\ud800"}'),
  'a card nested without end': answer(
    'application/json',
    `{"name":"x","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  ),
  'a card that is too large': answer(
    'application/json',
    JSON.stringify({ name: 'x', note: 'y'.repeat(CARD_BYTES_MAX) }),
  ),
};

for (const [what, listener] of Object.entries(NO_CARDS)) {
  test(`400: ${what} is no agent card`, async (t) => {
    const server = await startHttpServer(listener);
    const found = await discover(t.context.api, server.url);
    t.is(found.status, 400);
    t.regex(found.error, /^bad request: http:.*agent\.json is no (valid )?agent card: /);
    await server.close();
  });
}

test('409: a card does not replace an agent that belongs to somebody else', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/agents', body: { id: 'payroll', name: 'ours' } });
  const server = await startHttpServer(serveJson({ [OURS]: { id: 'payroll', name: 'theirs' } }));
  const answer = await discover(api, server.url);
  t.is(answer.status, 409);
  t.regex(answer.error, /^conflict: agent payroll is registered already and was not discovered at/);
  t.is((await api.call({ path: '/agents/payroll' })).body['name'], 'ours');
  await server.close();
});

test('502: nobody at the address', async (t) => {
  const { api } = t.context;
  const port = await freePort();
  const answer = await discover(api, `http://127.0.0.1:${port}`);
  t.is(answer.status, 502);
  t.is(answer.error, `bad gateway: 127.0.0.1:${port} cannot be reached`);
  t.true(api.troubles.every(({ message }) => !message.includes('unexpectedly')));
});

const NO_ANSWERS: Readonly<Record<string, readonly [RequestListener, RegExp]>> = {
  'an address without a card': [serveJson({}), /agent\.json answered 404$/],
  'a server that fails': [(_request, response) => void response.writeHead(500).end(), /500$/],
  'endless redirects': [
    (_request, response) => void response.writeHead(302, { Location: '/' }).end(),
    /redirects too often$/,
  ],
  'a body without an end': [
    (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const send = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', send);
      send();
    },
    /answers with more than is taken$/,
  ],
  'a server that never answers': [() => undefined, /did not answer in time$/],
  'a connection that breaks': [(request) => void request.socket.destroy(), /cannot be reached$/],
};

for (const [what, [listener, error]] of Object.entries(NO_ANSWERS)) {
  test(`502: ${what}`, async (t) => {
    const server = await startHttpServer(listener);
    const found = await discover(t.context.api, server.url);
    t.is(found.status, 502);
    t.regex(found.error, error);
    await server.close();
  });
}

function discover(api: TestApi, url: string) {
  return api.call({ path: '/agents/discover', body: { url } });
}

function answer(type: string, body: string | Uint8Array): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'Content-Type': type }).end(body);
  };
}
