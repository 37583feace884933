import { A2A_CARDS, ADDRESS } from '../shared/domain/agents/a2a-cards.ts';
import { eventually } from '../support/eventually.ts';
import { onBothStores } from '../support/both-stores.ts';
import { serveJson, startHttpServer } from '../support/servers/http-server.ts';
import { freePort } from '../support/servers/ports.ts';
import type { ErrorBody } from '../support/http.ts';
import type { TestTenant } from '../support/tenant.ts';

/* Interface document: "Agents", "Agent (Agent Card)", "Agent status values", federation. */

const check = onBothStores({
  env: { SVC_AGENTS_ALLOW_PRIVATE_NETWORKS: 'true', SVC_AGENTS_HEARTBEAT_TIMEOUT: '1' },
});

interface Agent {
  readonly id: string;
  readonly uri: string | null;
  readonly name: string;
  readonly status: string;
  readonly registered_at: string;
  readonly updated_at: string;
  readonly last_heartbeat: string | null;
  readonly card: object;
}

interface DidDocument {
  readonly id: string;
  readonly service: readonly { readonly id: string; readonly serviceEndpoint: string }[];
}

const CARD = {
  id: 'router',
  uri: 'https://router.example.com',
  name: 'Router',
  description: 'Plans routes.',
  version: '1.2.0',
  capabilities: {
    skills: [
      {
        name: 'route',
        description: 'Finds the shortest route.',
        input_schema: { type: 'object', properties: { from: { type: 'string' } } },
        output_schema: { type: 'object' },
      },
    ],
    protocols: ['mcp', 'a2a'],
    tools_provided: ['maps'],
    tools_consumed: ['traffic'],
  },
  autonomy: 'guided',
  auth: { type: 'bearer_token' },
};

check('201: an agent is registered and read with its card', async (t, svc) => {
  const reply = await svc.post('/agents', CARD);
  t.is(reply.status, 201);
  t.deepEqual(reply.body, { agent_id: 'router' } as never);
  const read = await svc.get<Agent>('/agents/router');
  t.is(read.status, 200);
  t.like(read.body, { ...CARD, card: CARD, status: 'registered', last_heartbeat: null });
  for (const time of [read.body.registered_at, read.body.updated_at]) {
    t.regex(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
});

check('201: twenty callers registering one id make one agent', async (t, svc) => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => svc.post('/agents', CARD)));
  t.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
  t.is((await list(svc)).length, 1);
});

check('200: the list is filtered by status, skill and protocol', async (t, svc) => {
  await svc.post('/agents', CARD);
  await svc.post('/agents', { id: 'plain', name: 'Plain' });
  await svc.post('/agents/plain/activate');
  const ids = async (query: string) => (await list(svc, query)).map(({ id }) => id).toSorted();
  const found = [
    await ids(''),
    await ids('?status=registered'),
    await ids('?status=active'),
    await ids('?status=paused'),
    await ids('?status=deactivated'),
    await ids('?skill=route'),
    await ids('?skill=rout'),
    await ids('?protocol=a2a'),
    await ids('?protocol=anp'),
    await ids('?status=registered&skill=route&protocol=mcp'),
  ];
  t.deepEqual(found, [
    ['plain', 'router'],
    ['router'],
    ['plain'],
    [],
    [],
    ['router'],
    [],
    ['router'],
    [],
    ['router'],
  ]);
  t.is((await svc.get('/agents?status=gone')).status, 400);
});

check('200: an agent is activated, heard and deactivated', async (t, svc) => {
  await svc.post('/agents', CARD);
  const steps = [
    await svc.post('/agents/router/activate'),
    await svc.post('/agents/router/deactivate'),
    await svc.post('/agents/router/heartbeat'),
    await svc.post('/agents/router/activate'),
  ].map(({ status, body }) => ({ status, body: body as unknown }));
  t.deepEqual(steps, [
    { status: 200, body: { agent_id: 'router', status: 'active' } },
    { status: 200, body: { agent_id: 'router', status: 'deactivated' } },
    { status: 200, body: { agent_id: 'router', ok: false, status: 'deactivated' } },
    { status: 200, body: { agent_id: 'router', status: 'active' } },
  ]);
});

check(
  '200: an agent that falls silent is paused, and its next heartbeat wakes it',
  async (t, svc) => {
    await svc.post('/agents', CARD);
    await svc.post('/agents', { id: 'quiet', name: 'Never sends heartbeats' });
    await svc.post('/agents/router/activate');
    await svc.post('/agents/quiet/activate');
    await svc.post('/agents/router/heartbeat');
    const paused = await eventually(async () => {
      const [agent] = await list(svc, '?status=paused');
      if (agent === undefined) throw new Error('nobody is paused');
      return agent;
    });
    t.is(paused.id, 'router');
    const beat = await svc.post('/agents/router/heartbeat');
    t.deepEqual(beat.body, { agent_id: 'router', ok: true, status: 'active' } as never);
    t.is((await svc.get<Agent>('/agents/quiet')).body.status, 'active');
    const audit = await svc.get<{ readonly items: readonly { readonly event_type: string }[] }>(
      '/audit?actor_id=agent:router',
    );
    t.deepEqual(
      audit.body.items.map(({ event_type: type }) => type),
      ['agent_resumed'],
    );
  },
);

check('201: agents are discovered by either card', async (t, svc) => {
  const ours = await startHttpServer(serveJson({ '/.well-known/agent.json': CARD }));
  const a2a = await startHttpServer(
    serveJson({ '/.well-known/agent-card.json': A2A_CARDS['1.0'] }),
  );
  const first = await svc.post<Agent>('/agents/discover', { url: ours.url });
  t.is(first.status, 201);
  t.like(first.body, { ...CARD, status: 'registered' });
  t.deepEqual((await svc.get<Agent>('/agents/router')).body, first.body);
  const second = await svc.post<Agent>('/agents/discover', { url: a2a.url });
  t.is(second.status, 201);
  t.like(second.body, { uri: ADDRESS, name: 'Router' });
  t.is((await list(svc, '?protocol=a2a&skill=route-optimizer')).length, 1);
  await Promise.all([ours.close(), a2a.close()]);
});

check('201: one runtime discovers another', async (t, svc, { runtime }) => {
  const found = await svc.post<Agent>('/agents/discover', { url: runtime.url });
  t.is(found.status, 201);
  t.like(found.body, { uri: runtime.url, name: 'svc' });
  t.regex(found.body.id, /^did:web:127\.0\.0\.1%3A\d+$/);
  const read = await svc.get<Agent>(`/agents/${encodeURIComponent(found.body.id)}`);
  t.deepEqual(read.body, found.body);
});

check('400 and 502: agents that cannot be discovered', async (t, svc) => {
  for (const url of ['', 'x', 'file:///etc/passwd', 'http://169.254.169.254/', 'http://u:p@x.y/']) {
    const reply = await svc.post<ErrorBody>('/agents/discover', { url });
    t.is(reply.status, 400, url);
    t.regex(reply.body.error, /^bad request: /);
  }
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const reply = await svc.post<ErrorBody>('/agents/discover', { url: nobody });
  t.is(reply.status, 502);
  t.regex(reply.body.error, /^bad gateway: .* cannot be reached$/);
  t.deepEqual(await list(svc), []);
});

check('404: agents of one tenant are unknown to another', async (t, svc, { runtime }) => {
  await svc.post('/agents', CARD);
  const other = await runtime.newTenant();
  const replies = [
    await other.get('/agents/router'),
    await other.post('/agents/router/activate'),
    await other.post('/agents/router/deactivate'),
    await other.post('/agents/router/heartbeat'),
  ];
  for (const { status, body } of replies) {
    t.is(status, 404);
    t.deepEqual(body, { error: 'not found: agent router' });
  }
  t.deepEqual(await list(other), []);
});

check('200: the DID document lists active agents, without a token', async (t, svc, { runtime }) => {
  const id = `agent-of-${svc.tenantId}`;
  const uri = 'https://router.example.com/a2a';
  const services = async () => {
    const path = '/.well-known/did.json';
    const { status, body } = await runtime.request<DidDocument>({ path, token: null });
    t.is(status, 200);
    const { host } = new URL(runtime.url);
    t.is(body.id, `did:web:${host.replace(':', '%3A')}`);
    return body.service.filter((service) => service.id === `${body.id}#agent-${id}`);
  };
  await runtime.request({ path: '/agents', body: { ...CARD, id, uri } });
  t.deepEqual(await services(), []);
  await runtime.request({ method: 'POST', path: `/agents/${id}/activate` });
  const [service, ...others] = await services();
  t.like(service, { serviceEndpoint: uri });
  t.deepEqual(others, []);
  await runtime.request({ method: 'POST', path: `/agents/${id}/deactivate` });
  t.deepEqual(await services(), []);
});

async function list(svc: TestTenant, query = ''): Promise<readonly Agent[]> {
  const { status, body } = await svc.get<{ agents: readonly Agent[] }>(`/agents${query}`);
  if (status !== 200) throw new Error(`GET /agents${query} answered ${status}`);
  return body.agents;
}
