import anyTest, { type TestFn } from 'ava';

import { A2A_CARDS, ADDRESS } from '../../shared/domain/agents/a2a-cards.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const TIMEOUT_MS = 60_000;
const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi({ heartbeatTimeoutMs: TIMEOUT_MS });
});

test.after.always((t) => t.context.api.close());

test('201: a card needs a name alone, and gets an id', async (t) => {
  const { api } = t.context;
  const registered = await api.call({ path: '/agents', body: { name: 'alone' } });
  t.is(registered.status, 201);
  t.deepEqual(Object.keys(registered.body), ['agent_id']);
  const id = textOf(registered, 'agent_id');
  t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  const { body } = await api.call({ path: `/agents/${id}` });
  const card = {
    id,
    name: 'alone',
    uri: null,
    description: '',
    version: '1.0.0',
    capabilities: { skills: [], protocols: [], tools_provided: [], tools_consumed: [] },
    autonomy: 'guided',
    auth: { type: 'none' },
  };
  t.deepEqual(body, {
    ...card,
    status: 'registered',
    registered_at: body['registered_at'],
    updated_at: body['registered_at'],
    last_heartbeat: null,
    discovered_from: null,
    card,
  } as never);
});

test('201: fields we do not know are kept, and never stand for ours', async (t) => {
  const { api } = t.context;
  const body = { id: 'odd', name: 'odd', team: 'x', status: 'active', registered_at: 'never' };
  await api.call({ path: '/agents', body });
  const read = await api.call({ path: '/agents/odd' });
  t.like(read.body, { team: 'x', status: 'registered', card: body });
  t.not(read.body['registered_at'], 'never');
});

test('201: an id registered again gets the new card and keeps its status', async (t) => {
  const { api } = t.context;
  const card = { id: 'again', name: 'one' };
  await api.call({ path: '/agents', body: card });
  await api.call({ method: 'POST', path: '/agents/again/activate' });
  const again = await api.call({ path: '/agents', body: { ...card, name: 'two', extra: 1 } });
  t.is(again.status, 201);
  t.deepEqual(again.body, { agent_id: 'again' });
  const read = await api.call({ path: '/agents/again' });
  t.like(read.body, { name: 'two', status: 'active', extra: 1 });
});

test('201: cards of A2A are taken as they are', async (t) => {
  const { api } = t.context;
  for (const [version, card] of Object.entries(A2A_CARDS)) {
    const registered = await api.call({ path: '/agents', body: card });
    t.is(registered.status, 201, version);
    const read = await api.call({ path: `/agents/${textOf(registered, 'agent_id')}` });
    t.like(read.body, { uri: ADDRESS, auth: { type: 'bearer_token' }, name: 'Router' }, version);
  }
});

test('400: a card that is not one, with all that is wrong', async (t) => {
  const { api } = t.context;
  for (const [body, message] of [
    [{}, /^bad request: name is required$/],
    [{ name: '' }, /^bad request: name must not be empty$/],
    [{ name: 'x', id: 'y'.repeat(513) }, /^bad request: id must be at most 512 bytes$/],
    [{ name: 'x', autonomy: 'wild' }, /autonomy must be deterministic, guided, bounded_autonomous/],
    [{ name: 'x', auth: { type: 'x' } }, /auth.type must be none, bearer_token, api_key, oauth2/],
    [{ name: 1, version: 2 }, /name must be a string; version must be a string$/],
    [{ name: 'x', capabilities: { skills: [{}] } }, /capabilities.skills.0.name is required$/],
    ['{"name":"x","constructor":{}}', /constructor is not allowed/],
  ] as const) {
    const answer = await api.call({ path: '/agents', body });
    t.is(answer.status, 400);
    t.regex(answer.error, message);
  }
});

test('200: agents are listed newest first, by status, skill and protocol', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'developer', tenant: 'lister' });
  for (const [id, capabilities] of [
    ['one', { skills: [{ name: 'sum' }], protocols: ['mcp'] }],
    ['two', { skills: [{ name: 'sum' }], protocols: ['a2a'] }],
    ['three', {}],
  ] as const) {
    await api.call({ path: '/agents', body: { id, name: id, capabilities }, token });
  }
  await api.call({ method: 'POST', path: '/agents/two/activate', token });
  const ids = async (query: string) => {
    const answer = await api.call({ path: `/agents${query}`, token });
    t.is(answer.status, 200);
    return (answer.body['agents'] as { id: string }[]).map(({ id }) => id);
  };
  t.deepEqual((await ids('')).toSorted(), ['one', 'three', 'two']);
  t.deepEqual((await ids('?skill=sum')).toSorted(), ['one', 'two']);
  t.deepEqual(await ids('?status=active'), ['two']);
  t.deepEqual(await ids('?protocol=mcp&skill=sum'), ['one']);
  t.deepEqual(await ids('?protocol=anp'), []);
  t.is((await ids('?limit=2')).length, 2);
  t.is((await ids('?limit=2&offset=2')).length, 1);
});

test('400: a list by an unknown status or protocol, or by an invalid limit', async (t) => {
  const { api } = t.context;
  for (const [query, message] of [
    ['status=on', 'status must be registered, active, paused or deactivated'],
    ['protocol=http', 'protocol must be mcp, a2a or anp'],
    ['limit=0', 'limit must be a whole number from 1'],
    ['offset=-1', 'offset must be a whole number from 0'],
  ]) {
    const answer = await api.call({ path: `/agents?${query}` });
    t.is(answer.status, 400);
    t.is(answer.error, `bad request: ${message}`);
  }
});

test('200: an agent is activated and deactivated, from any status', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/agents', body: { id: 'switch', name: 'switch' } });
  for (const [action, status] of [
    ['activate', 'active'],
    ['activate', 'active'],
    ['deactivate', 'deactivated'],
    ['deactivate', 'deactivated'],
    ['activate', 'active'],
  ] as const) {
    const answer = await api.call({ method: 'POST', path: `/agents/switch/${action}` });
    t.is(answer.status, 200);
    t.deepEqual(answer.body, { agent_id: 'switch', status });
    t.is((await api.call({ path: '/agents/switch' })).body['status'], status);
  }
});

test('200: a heartbeat is heard, unless the agent is deactivated', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/agents', body: { id: 'beat', name: 'beat' } });
  const beat = () => api.call({ method: 'POST', path: '/agents/beat/heartbeat' });
  t.deepEqual((await beat()).body, { agent_id: 'beat', ok: true, status: 'registered' });
  t.is(typeof (await api.call({ path: '/agents/beat' })).body['last_heartbeat'], 'string');
  await api.call({ method: 'POST', path: '/agents/beat/activate' });
  t.deepEqual((await beat()).body, { agent_id: 'beat', ok: true, status: 'active' });
  await api.call({ method: 'POST', path: '/agents/beat/deactivate' });
  t.deepEqual((await beat()).body, { agent_id: 'beat', ok: false, status: 'deactivated' });
});

test.serial('200: an agent that falls silent is paused until its next heartbeat', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/agents', body: { id: 'silent', name: 'silent' } });
  await api.call({ method: 'POST', path: '/agents/silent/activate' });
  await api.call({ method: 'POST', path: '/agents/silent/heartbeat' });
  await api.database.age({ table: 'agents', columns: ['heard_at'], byMs: TIMEOUT_MS });
  t.is((await api.call({ path: '/agents/silent' })).body['status'], 'paused');
  const beat = await api.call({ method: 'POST', path: '/agents/silent/heartbeat' });
  t.deepEqual(beat.body, { agent_id: 'silent', ok: true, status: 'active' });
});

test('404: an unknown agent, of any form, and another tenant’s', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/agents', body: { id: 'ours', name: 'ours' } });
  const other = await api.mint({ role: 'operator', tenant: 'stranger' });
  for (const [method, suffix] of [
    ['GET', ''],
    ['POST', '/activate'],
    ['POST', '/deactivate'],
    ['POST', '/heartbeat'],
  ] as const) {
    const foreign = await api.call({ method, path: `/agents/ours${suffix}`, token: other });
    t.is(foreign.status, 404);
    t.is(foreign.error, 'not found: agent ours');
    for (const id of ['nobody', '%20', 'a%2Fb', 'x'.repeat(2000)]) {
      const unknown = await api.call({ method, path: `/agents/${id}${suffix}` });
      t.is(unknown.status, 404);
      t.is(unknown.error, `not found: agent ${decodeURIComponent(id)}`);
    }
  }
  t.is((await api.call({ path: '/agents/ours' })).body['status'], 'registered');
});

test('200: an id may hold any character', async (t) => {
  const { api } = t.context;
  const id = 'urn:x/ü ?#%';
  await api.call({ path: '/agents', body: { id, name: 'x' } });
  const read = await api.call({ path: `/agents/${encodeURIComponent(id)}` });
  t.is(read.status, 200);
  t.is(read.body['id'], id);
});
