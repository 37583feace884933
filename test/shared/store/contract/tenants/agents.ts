import type { AgentCard } from '../../../../../src/shared/domain/agents/agent-card.ts';
import { readAgentCard } from '../../../../../src/shared/domain/agents/read-agent-card.ts';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import type {
  AgentRow,
  CountAgents,
  ListAgents,
  NewAgent,
} from '../../../../../src/shared/store/agents.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { makeTenantId, makeUuid } from '../make.ts';

const TIMEOUT_MS = 60_000;
const HEARD = { table: 'agents', columns: ['heard_at'] };

export function agentCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('an agent is found as it was registered', async (t, { store }) => {
    const agent = makeAgent({ name: 'Prüfer', notes: { deep: ['ü', 1.5, null, true] } });
    const row = await store.agents.register(agent);
    t.deepEqual(row, {
      tenantId: agent.tenantId,
      agentId: agent.agentId,
      card: agent.card,
      status: 'registered',
      discoveredFrom: null,
      registeredAt: row?.registeredAt ?? '',
      updatedAt: row?.registeredAt ?? '',
      lastHeartbeat: null,
    });
    t.deepEqual(await store.agents.find(agent), row);
  });

  check('registering again updates the card and keeps status and age', async (t, database) => {
    const { store } = database;
    const agent = makeAgent();
    await store.agents.register(agent);
    await store.agents.activate(agent);
    await database.age({ ...AGES, byMs: 5_000 });
    const before = await store.agents.find(agent);
    const after = await store.agents.register({ ...agent, card: makeCard({ version: '2' }) });
    t.like(after, { status: 'active', registeredAt: before?.registeredAt });
    t.is(after?.card.version, '2');
    t.true((after?.updatedAt ?? '') > (before?.updatedAt ?? ''));
  });

  check('a discovered card does not replace another agent', async (t, { store }) => {
    const agent = makeAgent();
    const there = { ...agent, discoveredFrom: 'https://there.example' };
    const elsewhere = { ...agent, discoveredFrom: 'https://elsewhere.example' };
    await store.agents.register(agent);
    t.is(await store.agents.register(there), null);
    t.is((await store.agents.find(agent))?.discoveredFrom, null);

    const other = { ...there, agentId: makeUuid() };
    await store.agents.register(other);
    t.is(await store.agents.register({ ...elsewhere, agentId: other.agentId }), null);
    const again = await store.agents.register({ ...other, card: makeCard({ version: '2' }) });
    t.is(again?.card.version, '2');
    const byCaller = await store.agents.register({ ...other, discoveredFrom: null });
    t.is(byCaller?.discoveredFrom, null);
  });

  check('an agent is found by where it was discovered', async (t, { store }) => {
    const agent = { ...makeAgent(), discoveredFrom: 'https://there.example' };
    await store.agents.register(agent);
    const { tenantId, agentId, discoveredFrom } = agent;
    t.deepEqual(await store.agents.findDiscovered({ tenantId, discoveredFrom }), { agentId });
    const elsewhere = 'https://there.example/else';
    t.is(await store.agents.findDiscovered({ tenantId, discoveredFrom: elsewhere }), null);
    const stranger = { tenantId: makeTenantId(), discoveredFrom };
    t.is(await store.agents.findDiscovered(stranger), null);
  });

  check("another tenant's agent does not exist", async (t, { store }) => {
    const agent = makeAgent();
    await store.agents.register(agent);
    await store.agents.activate(agent);
    const foreign = { ...agent, tenantId: makeTenantId() };
    t.is(await store.agents.find(foreign), null);
    t.is(await store.agents.activate(foreign), null);
    t.is(await store.agents.deactivate(foreign), null);
    t.is(await store.agents.heartbeat(foreign), null);
    t.deepEqual(await list(store, { tenantId: foreign.tenantId }), []);
    t.deepEqual(await listActive(store, foreign.tenantId), []);
    t.is((await store.agents.find(agent))?.status, 'active');
    await store.agents.register({ ...foreign, card: makeCard({ name: 'theirs' }) });
    t.is((await store.agents.find(agent))?.card.name, agent.card.name);
  });

  check('changes and calls of an agent are audited', async (t, database) => {
    const { store } = database;
    const agent = makeAgent();
    const { tenantId, agentId } = agent;
    await store.agents.heartbeat(agent);
    await store.agents.register(agent);
    await store.agents.activate(agent);
    await store.agents.heartbeat(agent);
    await database.age({ table: 'agents', columns: ['heard_at'], byMs: TIMEOUT_MS });
    await store.agents.pauseSilent({ heartbeatTimeoutMs: TIMEOUT_MS, limit: 1_000 });
    await store.agents.heartbeat(agent);
    await store.agents.heartbeat(agent);
    await store.agents.deactivate(agent);
    await store.agents.heartbeat(agent);
    const filter = { executionId: null, actorId: null, eventType: null, limit: 50, offset: 0 };
    const { items } = await store.audit.list({ ...filter, tenantId });
    t.deepEqual(items.map(({ eventType, actorId }) => [eventType, actorId]).toReversed(), [
      ['agent_registered', 'token:ci'],
      ['agent_activated', 'token:ci'],
      ['agent_paused', 'system:scheduler'],
      ['agent_resumed', `agent:${agentId}`],
      ['agent_deactivated', 'token:ci'],
    ]);
    t.true(items.every(({ payload }) => payload?.['agent_id'] === agentId));
  });

  check('agents are listed newest first, in pages', async (t, { store }) => {
    const tenantId = makeTenantId();
    const rows: AgentRow[] = [];
    for (let index = 0; index < 3; index += 1) {
      const row = await store.agents.register({ ...makeAgent(), tenantId });
      if (row !== null) rows.unshift(row);
    }
    t.deepEqual(await list(store, { tenantId }), rows);
    t.deepEqual(await list(store, { tenantId, limit: 2 }), rows.slice(0, 2));
    t.deepEqual(await list(store, { tenantId, limit: 2, offset: 2 }), rows.slice(2));
    t.deepEqual(await list(store, { tenantId, after: rows[0] ?? null }), rows.slice(1));
    t.is(await count(store, { tenantId }), rows.length);
    t.is(await count(store, { tenantId, status: 'paused' }), 0);
  });

  check('agents are listed by status, by skill and by protocol', async (t, { store }) => {
    const tenantId = makeTenantId();
    const register = async (agentId: string, capabilities: JsonObject) => {
      const agent = { ...makeAgent({ capabilities }), tenantId, agentId };
      await store.agents.register(agent);
      return agent;
    };
    await register('a', { skills: ['add', 'sum'], protocols: ['mcp'] });
    const b = await register('b', { skills: [{ name: 'Sum', id: 'sum' }], protocols: ['a2a'] });
    await register('c', { skills: ['it"s [sum]', 'su'], protocols: ['a2a', 'mcp'] });
    await store.agents.activate(b);
    const ids = async (filter: Partial<ListAgents>) =>
      (await list(store, { tenantId, ...filter })).map(({ agentId }) => agentId).toSorted();
    t.deepEqual(await ids({ skill: 'sum' }), ['a', 'b']);
    t.deepEqual(await ids({ skill: 'Sum' }), ['b']);
    t.deepEqual(await ids({ skill: 'it"s [sum]' }), ['c']);
    t.deepEqual(await ids({ skill: '%' }), []);
    t.deepEqual(await ids({ protocol: 'mcp' }), ['a', 'c']);
    t.deepEqual(await ids({ status: 'registered' }), ['a', 'c']);
    t.deepEqual(await ids({ status: 'active' }), ['b']);
    t.deepEqual(await ids({ status: 'active', skill: 'sum', protocol: 'a2a' }), ['b']);
    t.deepEqual(await ids({ status: 'paused' }), []);
  });

  check('an agent is activated from any status and deactivated', async (t, { store }) => {
    const agent = makeAgent();
    await store.agents.register(agent);
    t.is((await store.agents.activate(agent))?.status, 'active');
    t.is((await store.agents.activate(agent))?.status, 'active');
    t.is((await store.agents.deactivate(agent))?.status, 'deactivated');
    t.is((await store.agents.deactivate(agent))?.status, 'deactivated');
    t.is((await store.agents.activate(agent))?.status, 'active');
    const nobody = { ...agent, agentId: 'nobody' };
    t.is(await store.agents.activate(nobody), null);
    t.is(await store.agents.deactivate(nobody), null);
    t.is(await store.agents.heartbeat(nobody), null);
  });

  check('addresses of active agents are listed, oldest first', async (t, { store }) => {
    const tenantId = makeTenantId();
    // The id orders agents of the same millisecond.
    for (const [agentId, uri] of [
      ['a-one', 'https://one.example'],
      ['b-two', null],
      ['asleep', 'https://asleep.example'],
      ['c-three', 'https://three.example'],
    ] as const) {
      const agent = { ...makeAgent({ uri }), tenantId, agentId };
      await store.agents.register(agent);
      if (agentId !== 'asleep') await store.agents.activate(agent);
    }
    t.deepEqual(await listActive(store, tenantId), [
      { agentId: 'a-one', uri: 'https://one.example' },
      { agentId: 'b-two', uri: null },
      { agentId: 'c-three', uri: 'https://three.example' },
    ]);
    t.is((await listActive(store, tenantId, 2)).length, 2);
  });

  check('a heartbeat is noted and changes no other status', async (t, { store }) => {
    const agent = makeAgent();
    await store.agents.register(agent);
    const heard = await store.agents.heartbeat(agent);
    t.is(heard?.status, 'registered');
    t.regex(heard?.lastHeartbeat ?? '', /^\d{4}-.*\.\d{3}Z$/);
    t.is(heard?.updatedAt, heard?.registeredAt);
    await store.agents.activate(agent);
    t.is((await store.agents.heartbeat(agent))?.status, 'active');
    const before = await store.agents.deactivate(agent);
    t.deepEqual(await store.agents.heartbeat(agent), before);
  });

  check('an active agent that never sent a heartbeat is not silent', async (t, database) => {
    const { store } = database;
    const agent = makeAgent();
    await store.agents.register(agent);
    await store.agents.activate(agent);
    await database.age({ ...AGES, byMs: 10 * TIMEOUT_MS });
    t.is((await store.agents.find(agent))?.status, 'active');
    await pauseAll(store);
    t.is((await store.agents.find(agent))?.status, 'active');
  });

  check('a silent agent is shown as paused before anyone writes it down', async (t, database) => {
    const { store } = database;
    const [agent] = await makeSilent(database);
    const { tenantId } = agent;
    t.is((await store.agents.find(agent))?.status, 'paused');
    t.is((await list(store, { tenantId, status: 'paused' })).length, 1);
    t.deepEqual(await list(store, { tenantId, status: 'active' }), []);
    t.deepEqual(await listActive(store, tenantId), []);
    t.is(
      (await store.agents.find({ ...agent, heartbeatTimeoutMs: 2 * TIMEOUT_MS }))?.status,
      'active',
    );
    t.is((await store.agents.heartbeat(agent))?.status, 'active');
    t.is((await store.agents.find(agent))?.status, 'active');
  });

  check('silent agents are paused, and the next heartbeat wakes them', async (t, database) => {
    const { store } = database;
    const [agent] = await makeSilent(database);
    const living = { ...makeAgent(), tenantId: agent.tenantId };
    await store.agents.register(living);
    await store.agents.activate(living);
    await store.agents.heartbeat(living);
    t.is(await store.agents.pauseSilent({ heartbeatTimeoutMs: TIMEOUT_MS, limit: 100 }), 1);
    t.is(await store.agents.pauseSilent({ heartbeatTimeoutMs: TIMEOUT_MS, limit: 100 }), 0);
    const paused = await store.agents.find({ ...agent, heartbeatTimeoutMs: 10 * TIMEOUT_MS });
    t.is(paused?.status, 'paused');
    t.is((await store.agents.find(living))?.status, 'active');
    const woken = await store.agents.heartbeat(agent);
    t.is(woken?.status, 'active');
    t.true((woken?.updatedAt ?? '') >= (paused?.updatedAt ?? ''));
  });

  check('no more silent agents are paused at a time than asked for', async (t, database) => {
    const { store } = database;
    await makeSilent(database, 2);
    t.is(await store.agents.pauseSilent({ heartbeatTimeoutMs: TIMEOUT_MS, limit: 1 }), 1);
    t.is(await store.agents.pauseSilent({ heartbeatTimeoutMs: TIMEOUT_MS, limit: 5 }), 1);
  });

  check('activating a silent agent gives it the whole time again', async (t, database) => {
    const { store } = database;
    const [agent] = await makeSilent(database);
    t.is((await store.agents.activate(agent))?.status, 'active');
    t.is((await store.agents.find(agent))?.status, 'active');
    await database.age({ ...HEARD, byMs: TIMEOUT_MS + 1 });
    t.is((await store.agents.find(agent))?.status, 'paused');
  });

  check('a deactivated agent stays so, however silent', async (t, database) => {
    const { store } = database;
    const [agent] = await makeSilent(database);
    await store.agents.deactivate(agent);
    await pauseAll(store);
    t.is((await store.agents.find(agent))?.status, 'deactivated');
  });

  check('twenty registrations of one id make one agent', async (t, { store }) => {
    const agent = makeAgent();
    const rows = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.agents.register({ ...agent, card: makeCard({ version: `${index}` }) }),
      ),
    );
    t.is(new Set(rows.map((row) => row?.registeredAt)).size, 1);
    t.is((await list(store, { tenantId: agent.tenantId })).length, 1);
  });
}

const AGES = { table: 'agents', columns: ['registered_at', 'updated_at'] };

function makeAgent(card: JsonObject = {}): NewAgent {
  return {
    tenantId: makeTenantId(),
    agentId: `agent-${makeUuid()}`,
    card: makeCard(card),
    discoveredFrom: null,
    heartbeatTimeoutMs: TIMEOUT_MS,
    actorId: 'token:ci',
  };
}

function makeCard(card: JsonObject): AgentCard {
  const read = readAgentCard({ name: 'tester', ...card });
  if (read.ok) return read.card;
  throw new Error(read.problems.join('; '));
}

/** Active agents whose last heartbeat is slightly too old, and no others: all rows age at once. */
async function makeSilent(
  { store, age }: TestStore,
  count = 1,
): Promise<readonly [NewAgent, ...NewAgent[]]> {
  await age({ ...HEARD, byMs: TIMEOUT_MS });
  await pauseAll(store);
  const first = makeAgent();
  const agents = [first, ...Array.from({ length: count - 1 }, () => makeAgent())] as const;
  for (const agent of agents) {
    await store.agents.register(agent);
    await store.agents.activate(agent);
    await store.agents.heartbeat(agent);
  }
  await age({ ...HEARD, byMs: TIMEOUT_MS });
  return agents;
}

async function pauseAll(store: Store): Promise<void> {
  const some = { heartbeatTimeoutMs: TIMEOUT_MS, limit: 100 };
  while ((await store.agents.pauseSilent(some)) === some.limit);
}

function list(
  store: Store,
  params: Partial<ListAgents> & Pick<ListAgents, 'tenantId'>,
): Promise<readonly AgentRow[]> {
  return store.agents.list({
    status: null,
    skill: null,
    protocol: null,
    heartbeatTimeoutMs: TIMEOUT_MS,
    limit: 50,
    offset: 0,
    ...params,
  });
}

function count(store: Store, params: Partial<CountAgents> & Pick<CountAgents, 'tenantId'>) {
  return store.agents.count({
    status: null,
    skill: null,
    protocol: null,
    heartbeatTimeoutMs: TIMEOUT_MS,
    ...params,
  });
}

function listActive(store: Store, tenantId: NewAgent['tenantId'], limit = 50) {
  return store.agents.listActive({ tenantId, heartbeatTimeoutMs: TIMEOUT_MS, limit });
}
