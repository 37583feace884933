import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import anyTest, { type TestFn } from 'ava';
import { Resolver } from 'did-resolver';
import { once } from 'node:events';
import { createServer, globalAgent } from 'node:https';
import { getResolver } from 'web-did-resolver';

import { createCertificate } from '../../support/servers/self-signed-certificate.ts';
import { freePort } from '../../support/servers/ports.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

test('200: the DID document names the runtime and its active agents, to everyone', async (t) => {
  const { api } = t.context;
  const did = `did:web:127.0.0.1%3A${api.port}`;
  const read = () => api.call({ path: '/.well-known/did.json', token: null });
  const empty = await read();
  t.is(empty.status, 200);
  t.is(empty.headers.get('access-control-allow-origin'), '*');
  const head = { '@context': ['https://www.w3.org/ns/did/v1'], id: did };
  t.deepEqual(empty.body, { ...head, service: [] });

  const uri = 'https://billing.example.com/a2a';
  await api.call({ path: '/agents', body: { id: 'billing', name: 'Billing', uri } });
  t.deepEqual((await read()).body['service'], []);
  await api.call({ method: 'POST', path: '/agents/billing/activate' });
  t.deepEqual((await read()).body['service'], [
    { id: `${did}#agent-billing`, type: 'AgentService', serviceEndpoint: uri },
  ]);
  await api.call({ method: 'POST', path: '/agents/billing/deactivate' });
  t.deepEqual((await read()).body['service'], []);
});

test('200: agents of other tenants are not told to everyone', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'developer', tenant: 'discreet' });
  await api.call({ path: '/agents', body: { id: 'secret', name: 's', uri: 'x:secret' }, token });
  await api.call({ method: 'POST', path: '/agents/secret/activate', token });
  const document = await api.call({ path: '/.well-known/did.json', token });
  t.false(JSON.stringify(document.body).includes('secret'));
});

test('200: a did:web resolver finds the document by its own id', async (t) => {
  const port = await freePort();
  const api = await startTestApi({ publicUrl: `https://localhost:${port}` });
  const certificate = createCertificate('localhost');
  // TLS ends here, as at a load balancer.
  const balancer = createServer(certificate, (request, response) => {
    void fetch(`${api.url}${request.url}`).then(async (answer) => {
      const type = answer.headers.get('content-type') ?? '';
      response.writeHead(answer.status, { 'Content-Type': type }).end(await answer.text());
    });
  });
  balancer.listen(port, '127.0.0.1');
  await once(balancer, 'listening');
  globalAgent.options.ca = certificate.cert;
  await api.call({ path: '/agents', body: { id: 'a b', name: 'x', uri: 'https://x.example/' } });
  await api.call({ method: 'POST', path: '/agents/a%20b/activate' });

  const did = `did:web:localhost%3A${port}`;
  const resolved = await new Resolver(getResolver()).resolve(did);
  t.like(resolved.didResolutionMetadata, { contentType: 'application/did+ld+json' });
  t.is(resolved.didDocument?.id, did);
  t.deepEqual(resolved.didDocument?.service, [
    { id: `${did}#agent-a%20b`, type: 'AgentService', serviceEndpoint: 'https://x.example/' },
  ]);
  balancer.close();
  balancer.closeAllConnections();
  await api.close();
});

test('200: the card for other runtimes leads them here', async (t) => {
  const { api } = t.context;
  const card = await api.call({ path: '/.well-known/agent.json', token: null });
  t.like(card.body, {
    id: `did:web:127.0.0.1%3A${api.port}`,
    uri: api.url,
    name: 'svc',
    version: '1.2.3',
    autonomy: 'deterministic',
    auth: { type: 'bearer_token' },
  });
  const found = await api.call({ path: '/agents/discover', body: { url: api.url } });
  t.is(found.status, 201);
  t.like(found.body, { ...card.body, discovered_from: api.url });
});

test('200: a card resolver of A2A reads the other one', async (t) => {
  const { api } = t.context;
  const card = await new DefaultAgentCardResolver().resolve(api.url);
  t.like(card, { name: 'svc', version: '1.2.3' });
  t.is(card.supportedInterfaces[0]?.url, api.url);
  t.is(card.supportedInterfaces[0]?.protocolVersion, '1.0');
  t.is(card.skills[0]?.id, 'execute-workflow');
  t.truthy(card.securitySchemes['bearer']);
});

test('200: without authentication the cards ask for none', async (t) => {
  const api = await startTestApi({ auth: { enabled: false } });
  const ours = await api.call({ path: '/.well-known/agent.json', token: null });
  t.deepEqual(ours.body['auth'], { type: 'none' });
  const a2a = await api.call({ path: '/.well-known/agent-card.json', token: null });
  t.false('securitySchemes' in a2a.body);
  t.is(textOf(a2a, 'name'), 'svc');
  await api.close();
});
