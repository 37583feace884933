import test from 'ava';

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import { type FakeReply, startFakeModelProvider } from '../support/servers/fake-model-provider.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';

/*
 * Calls that a model requests. The runtime checks each by its own name before anyone, also a
 * worker, can make it.
 */

const provider = await startFakeModelProvider();
const check = onBothStores({
  env: { OPENAI_API_KEY: 'sk-test-0123456789', OPENAI_BASE_URL: provider.baseUrls.openai },
});
test.after.always('the provider is closed', () => provider.close());

const offered = (...names: readonly string[]) =>
  names.map((name) => ({
    type: 'function',
    function: { name, description: `Does ${name}.`, parameters: { type: 'object' } },
  }));
/** A model, and a worker of any name that makes the requested calls. */
const agent = (svc: TestTenant, kind: JsonObject, more: JsonObject = {}) => ({
  nodes: {
    ask: { kind: { type: 'model', model: `openai/${modelOf(svc)}`, prompt: 'Go on.', ...kind } },
    dispatch: { kind: { type: 'python_fn', module: 'agent', function: 'dispatch' } },
  },
  edges: [{ from: 'ask', to: 'dispatch', condition: 'state.last_model_tool_calls' }],
  ...more,
});
const modelOf = ({ tenantId }: TestTenant) => `model-${tenantId}`;
const asking = (...calls: readonly (readonly [string, JsonObject])[]): FakeReply => ({
  toolCalls: calls.map(([name, args], index) => ({
    id: `call-${index}`,
    name,
    input: JSON.stringify(args),
  })),
  finishReason: 'tool_calls',
  inputTokens: 100,
  outputTokens: 10,
});
const pendingOf = async (svc: TestTenant, id: string) => {
  const reply = await svc.get<{ pending: readonly JsonObject[] }>(`/executions/${id}/approvals`);
  return expectStatus(reply, 200).pending;
};
const usedTokens = async (svc: TestTenant, id: string) =>
  (await svc.events(id)).flatMap(({ payload }) => {
    const { usage = null } = payload;
    return isJsonObject(usage) ? [usage['input_tokens']] : [];
  });

check('no dispatcher gets a call that a person has yet to approve', async (t, svc) => {
  const policy = { require_approval_for: ['delete_*'] };
  provider.answer(modelOf(svc), asking(['look_up', { id: 7 }], ['delete_account', { id: 7 }]));
  const ir = agent(svc, { tools: offered('look_up', 'delete_account') }, { policy });
  const id = await svc.run(ir);

  await svc.until(id, 'paused');
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.is((await svc.read(id)).state['last_model_tool_calls'], undefined);
  const [asked, ...others] = await pendingOf(svc, id);
  t.deepEqual(others, []);
  t.like(asked, { node_id: 'ask', shown: { tool: 'delete_account', input: { id: 7 } } });

  t.true((await svc.approve(id, { decision: 'approved', user_id: 'kim' })).accepted);
  const item = await svc.work('dispatch');
  t.deepEqual((item.payload['input'] as JsonObject)['last_model_tool_calls'], [
    { id: 'call-0', name: 'look_up', arguments: { id: 7 } },
    { id: 'call-1', name: 'delete_account', arguments: { id: 7 } },
  ]);
  await svc.until(id, 'completed');
  t.is(provider.requestsFor(modelOf(svc)).length, 1);
  t.deepEqual(await usedTokens(svc, id), [100]);
  return svc.story(id);
});

check('each call is approved separately, and a rejection fails the node', async (t, svc) => {
  const policy = { require_approval_for: ['pay'] };
  provider.answer(modelOf(svc), asking(['pay', { to: 'a' }], ['pay', { to: 'b' }]));
  const id = await svc.run(agent(svc, { tools: offered('pay') }, { policy }));
  const questions: (JsonValue | undefined)[] = [];
  for (const decision of ['approved', 'rejected']) {
    await svc.until(id, 'paused');
    const [asked] = await pendingOf(svc, id);
    questions.push(asked?.['shown']);
    t.true((await svc.approve(id, { decision, user_id: 'kim', comment: 'why b?' })).accepted);
  }
  t.deepEqual(questions, [
    { tool: 'pay', input: { to: 'a' } },
    { tool: 'pay', input: { to: 'b' } },
  ]);
  t.is((await svc.until(id, 'failed')).error, 'node ask failed: approval rejected by kim: why b?');
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.is(provider.requestsFor(modelOf(svc)).length, 1);
  t.deepEqual(await usedTokens(svc, id), [100]);
  return svc.story(id);
});

check('a call that is blocked by the time it is approved is not handed on', async (t, svc) => {
  const manage = { tenantId: 'default' };
  const { tenantId } = svc;
  await svc.send({ ...manage, path: '/tenants', body: { id: tenantId, name: tenantId } });
  const setPolicy = async (policy: JsonObject) => {
    const path = `/tenants/${tenantId}`;
    expectStatus(await svc.send({ ...manage, method: 'PUT', path, body: { policy } }), 200);
  };
  await setPolicy({ require_approval_for: ['pay'] });
  provider.answer(modelOf(svc), asking(['pay', { to: 'a' }]));
  const id = await svc.run(agent(svc, { tools: offered('pay') }));
  await svc.until(id, 'paused');
  await setPolicy({ blocked_tools: ['pay'] });
  await svc.approve(id, { decision: 'approved' });
  t.is((await svc.until(id, 'failed')).error, 'node ask failed: the policy blocks the tool pay');
  const violation = await svc.untilEvent(id, 'PolicyViolation', 'ask');
  t.like(violation.payload, { name: 'pay', rule: 'blocked_tools', pattern: 'pay' });
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  return svc.story(id);
});

check('a tool is also judged by what it calls, under any name in the workflow', async (t, svc) => {
  const tools = { harmless: { kind: 'python', reference: 'bank:pay' } };
  const policy = { require_approval_for: ['bank.*'] };
  provider.answer(modelOf(svc), asking(['harmless', {}]));
  const byModel = await svc.run(agent(svc, { tools: ['harmless'] }, { tools, policy }));
  await svc.until(byModel, 'paused');
  const kind = { type: 'tool', tool_ref: 'harmless' };
  const byNode = await svc.run({ workflow_id: 'direct', tools, policy, nodes: { pay: { kind } } });
  await svc.until(byNode, 'paused');
  const blocked = { blocked_tools: ['bank.*'] };
  const ir = { workflow_id: 'blocked', tools, policy: blocked, nodes: { pay: { kind } } };
  const never = await svc.run(ir);
  await svc.until(never, 'failed');
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  const stories = await Promise.all([byModel, byNode, never].map((id) => svc.story(id)));
  return stories;
});

check('the node that makes an approved call asks no second time', async (t, svc) => {
  const tools = { pay: { kind: 'python', reference: 'bank:pay' } };
  const policy = { require_approval_for: ['pay'] };
  provider.answer(modelOf(svc), asking(['pay', { to: 'a' }]));
  const pay = (to: JsonValue) => ({
    kind: { type: 'tool', tool_ref: 'pay' },
    input_mapping: { to },
  });
  const id = await svc.run({
    tools,
    policy,
    nodes: {
      ask: {
        kind: { type: 'model', model: `openai/${modelOf(svc)}`, prompt: 'Go.', tools: ['pay'] },
      },
      same: pay({ expr: 'state.last_model_tool_calls[0].arguments.to' }),
      again: pay('a'),
    },
    edges: [
      { from: 'ask', to: 'same' },
      { from: 'same', to: 'again' },
    ],
  });
  await svc.until(id, 'paused');
  await svc.approve(id, { decision: 'approved' });
  await svc.work('same');
  // An approval is valid for one call.
  await svc.until(id, 'paused');
  t.is((await pendingOf(svc, id))[0]?.['node_id'], 'again');
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  return svc.story(id);
});

check('a conversation in the shape of OpenAI goes round a loop', async (t, svc) => {
  const model = modelOf(svc);
  provider.answer(model, ({ body }) => {
    const said = body['messages'] as readonly { readonly role: string }[];
    return said.some(({ role }) => role === 'tool')
      ? { text: 'Three degrees.' }
      : asking(['weather', { at: 'Riga' }]);
  });
  const ir = {
    nodes: {
      ask: {
        kind: { type: 'model', model_ref: `openai/${model}`, tools: offered('weather') },
      },
      dispatch: { kind: { type: 'python_fn', module: 'agent', function: 'dispatch' } },
    },
    edges: [
      { from: 'ask', to: 'dispatch', condition: 'state.last_model_tool_calls' },
      { from: 'dispatch', to: 'ask' },
    ],
    start_node: 'ask',
  };
  const first = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'How cold is it in Riga?' }] },
  ];
  const id = await svc.run(ir, { messages: first });
  const asked = {
    id: 'call-0',
    type: 'function',
    function: { name: 'weather', arguments: '{"at":"Riga"}' },
  };
  const more = [
    { role: 'assistant', content: null, tool_calls: [asked] },
    { role: 'tool', tool_call_id: 'call-0', content: '3' },
  ];
  await svc.work('dispatch', {}, { state_patch: { messages: [...first, ...more] } });
  const { state } = await svc.until(id, 'completed');
  t.is(state['last_model_output'], 'Three degrees.');
  const sent = provider.requestsFor(model).map(({ body }) => body['messages']);
  const roles = (sent[1] as readonly JsonObject[]).map(({ role }) => role);
  t.deepEqual(roles, ['system', 'user', 'assistant', 'tool']);
  return svc.story(id);
});
