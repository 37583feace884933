import { ProtocolError } from '@modelcontextprotocol/client';
import anyTest, { type TestFn } from 'ava';

import { tools } from '../../../src/api/mcp/tools.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import {
  startEmbeddingProvider,
  type EmbeddingProvider,
} from '../../support/servers/embedding-provider.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { approving, passing, startWorkflow, waiting } from '../support/workflows.ts';
import { connectMcp, type McpCaller } from './connect.ts';

const test = anyTest as TestFn<{ api: TestApi; mcp: McpCaller; provider: EmbeddingProvider }>;
const UNKNOWN = { execution_id: `exec_${'0'.repeat(32)}` };

test.before(async (t) => {
  const provider = await startEmbeddingProvider();
  const api = await startTestApi({ memory: { embeddingBaseUrl: provider.url } });
  t.context = { api, provider, mcp: await connectMcp(api, { token: api.operatorToken }) };
});

test.after.always(async (t) => {
  await t.context.mcp.client.close();
  await t.context.api.close();
  await t.context.provider.close();
});

for (const revision of [undefined, '2026-07-28'] as const) {
  const client = revision ?? 'a client of 2025';

  test(`tools: ${client} finds them all, with schemas and words`, async (t) => {
    const { api } = t.context;
    const token = await api.mint({ role: 'viewer' });
    const mcp = await connectMcp(api, { token, ...(revision && { revision }) });
    const { tools: listed } = await mcp.client.listTools();
    t.deepEqual(
      listed.map(({ name }) => name),
      tools.map(({ name }) => name),
    );
    for (const { name, description, inputSchema, outputSchema, annotations } of listed) {
      t.regex(name, /^[a-z]+(_[a-z]+)+$/);
      t.truthy(description);
      t.is(inputSchema.type, 'object');
      t.truthy(outputSchema?.['properties'], name);
      t.is(annotations?.readOnlyHint, /^(list|get|recall)_/.test(name), name);
    }
    await mcp.client.close();
  });

  test(`tools: ${client} starts an execution and follows it to its end`, async (t) => {
    const { api } = t.context;
    const workflowId = revision === undefined ? 'older' : 'newer';
    await api.call({ path: '/workflows', body: { ir: passing(workflowId) } });
    const mcp = await connectMcp(api, {
      token: api.operatorToken,
      ...(revision && { revision }),
    });
    const started = await mcp.use('start_execution', { workflow_id: workflowId, input: { n: 1 } });
    const id = textOf({ body: started }, 'execution_id');
    await api.advance(id);
    const read = await mcp.use('get_execution', { execution_id: id });
    t.like(read, { execution_id: id, workflow_id: workflowId, status: 'completed' });
    t.deepEqual(read, (await api.call({ path: `/executions/${id}` })).body);
    await mcp.client.close();
  });
}

test('list_workflows and list_executions page like their endpoints', async (t) => {
  const { api, mcp } = t.context;
  for (const id of ['page-1', 'page-2']) await startWorkflow(api, { ir: passing(id) });
  const workflows = await mcp.use('list_workflows', { workflow_id: 'page-2' });
  t.like((workflows['workflows'] as JsonObject[])[0], { workflow_id: 'page-2' });
  const query = { workflow_id: 'page-1', status: 'completed', limit: 1 };
  const listed = await mcp.use('list_executions', query);
  t.deepEqual(
    listed,
    (
      await api.call({
        path: `/executions?${new URLSearchParams({ ...query, limit: '1' }).toString()}`,
      })
    ).body,
  );
});

test('list_execution_events gives the events after a sequence, 100 at most unless asked', async (t) => {
  const { api, mcp } = t.context;
  const id = await startWorkflow(api, { ir: passing('told') });
  const kinds = async (args: JsonObject) => {
    const answer = await mcp.use('list_execution_events', { execution_id: id, ...args });
    return (answer['events'] as JsonObject[]).map(({ kind }) => kind);
  };
  const all = await kinds({});
  t.is(all[0], 'WorkflowStarted');
  t.is(all.at(-1), 'WorkflowCompleted');
  t.deepEqual(await kinds({ after: 1, limit: 1 }), [all[1]]);
  const { tools: listed } = await mcp.client.listTools();
  const tool = listed.find(({ name }) => name === 'list_execution_events');
  t.like(tool?.inputSchema.properties?.['limit'], { type: 'integer', default: 100 });
});

test('start_execution with one idempotency key twice starts once', async (t) => {
  const { api, mcp } = t.context;
  await api.call({ path: '/workflows', body: { ir: passing('once') } });
  const args = { workflow_id: 'once', input: {}, idempotency_key: 'k1' };
  t.deepEqual(await mcp.use('start_execution', args), await mcp.use('start_execution', args));
  const other = await mcp.fail('start_execution', { ...args, input: { n: 2 } });
  t.regex(other, /^conflict: /);
});

test('start_execution answers at once, with the id alone', async (t) => {
  const { api, mcp } = t.context;
  const { tools: listed } = await mcp.client.listTools();
  const tool = listed.find(({ name }) => name === 'start_execution');
  t.deepEqual(Object.keys(tool?.outputSchema?.properties ?? {}), ['execution_id']);
  t.false('wait' in (tool?.inputSchema.properties ?? {}));
  await api.call({ path: '/workflows', body: { ir: passing('unawaited') } });
  const args = { workflow_id: 'unawaited', input: {}, wait: '1m' };
  t.deepEqual(Object.keys(await mcp.use('start_execution', args)), ['execution_id']);
});

test('list_approvals and approve_execution decide as the caller of the tool', async (t) => {
  const { api, mcp } = t.context;
  const id = await startWorkflow(api, { ir: approving('signed') });
  const { pending } = await mcp.use('list_approvals', { execution_id: id });
  t.like((pending as JsonObject[])[0], { node_id: 'sign' });
  const decision = { decision: 'approved', user_id: 'lee', state_patch: { signed: true } };
  const decided = await mcp.use('approve_execution', { execution_id: id, ...decision });
  t.deepEqual(decided, { execution_id: id, accepted: true, node_id: 'sign' });
  await api.advance(id);
  const read = await mcp.use('get_execution', { execution_id: id });
  t.like(read, { status: 'completed', state: { signed: true } });
  const { events } = (await api.call({ path: `/executions/${id}/events` })).body;
  const event = (events as JsonObject[]).find(({ kind }) => kind === 'ApprovalReceived');
  t.is(event?.['actor_id'], 'token:test operator');
});

test('send_external_event wakes the wait with its key', async (t) => {
  const { api, mcp } = t.context;
  const id = await startWorkflow(api, { ir: waiting('paying') });
  const event = { correlation_key: 'paid', payload: { amount: 3 } };
  const sent = await mcp.use('send_external_event', { execution_id: id, ...event });
  t.deepEqual(sent, { execution_id: id, accepted: true });
  await api.advance(id);
  t.like(await mcp.use('get_execution', { execution_id: id }), { status: 'completed' });
});

test('cancel_execution cancels, and says so again', async (t) => {
  const { api, mcp } = t.context;
  const id = await startWorkflow(api, { ir: approving('left') });
  for (const _ of [1, 2]) {
    const cancelled = await mcp.use('cancel_execution', { execution_id: id });
    t.deepEqual(cancelled, { execution_id: id, status: 'cancelled' });
  }
});

test('list_agents lists them like its endpoint', async (t) => {
  const { api, mcp } = t.context;
  const capabilities = { protocols: ['mcp'] };
  await api.call({ path: '/agents', body: { id: 'librarian', name: 'Librarian', capabilities } });
  const listed = await mcp.use('list_agents', { protocol: 'mcp' });
  t.like((listed['agents'] as JsonObject[])[0], { id: 'librarian' });
  t.deepEqual(listed, (await api.call({ path: '/agents?protocol=mcp' })).body);
});

test('recall_facts finds what was added, and says when it cannot', async (t) => {
  const { api, mcp, provider } = t.context;
  t.regex(
    await mcp.fail('recall_facts', { query: 'tea' }),
    /^memory is disabled: enable it with PATCH/,
  );
  const settings = { provider: 'openai', api_key: 'sk-a', enabled: true };
  await api.call({ path: '/v1/memory/settings', body: settings });
  const fact = { content: 'Ada likes green tea', end_user_id: 'ada' };
  await api.call({ path: '/v1/memory/add', body: fact });
  t.true(provider.requests.length > 0);
  const recall = async (args: JsonObject) => {
    const { facts } = await mcp.use('recall_facts', { query: 'tea', ...args });
    return (facts as JsonObject[]).map(({ content }) => content);
  };
  t.deepEqual(await recall({ end_user_id: 'ada', k: 1 }), [fact.content]);
  t.deepEqual(await recall({ end_user_id: 'bob' }), []);
});

test('tool errors: the API’s own words explain wrong arguments', async (t) => {
  const { mcp } = t.context;
  for (const [name, args, message] of [
    ['start_execution', {}, 'bad request: workflow_id is required; input is required'],
    ['start_execution', { workflow_id: 'x', input: [] }, 'bad request: input must be an object'],
    ['start_execution', { workflow_id: 'x', input: {} }, 'not found: workflow x'],
    [
      'start_execution',
      { workflow_id: 'x', input: { constructor: 1 } },
      /holds the key constructor/,
    ],
    ['start_execution', { workflow_id: 'x', input: { n: 2 ** 53 } }, /send it as a string/],
    ['start_execution', { workflow_id: 'x', input: {}, idempotency_key: 1 }, /^bad request: idem/],
    [
      'start_execution',
      { workflow_id: 'x', input: {}, concurency: { limit: 1 } },
      'bad request: /concurency is unknown, did you mean "concurrency"?',
    ],
    ['get_execution', {}, 'bad request: execution_id is required'],
    ['get_execution', { execution_id: 7 }, 'bad request: execution_id must be a string'],
    ['get_execution', UNKNOWN, `not found: execution ${UNKNOWN.execution_id}`],
    ['cancel_execution', UNKNOWN, `not found: execution ${UNKNOWN.execution_id}`],
    ['list_executions', { status: 'lost' }, /^bad request: status must be running, paused/],
    ['list_executions', { limit: 0 }, 'bad request: limit must be a whole number from 1'],
    ['list_executions', { limit: {} }, 'bad request: limit must be a string'],
    ['approve_execution', { ...UNKNOWN, decision: 'maybe' }, /^bad request: decision must be/],
    [
      'send_external_event',
      { ...UNKNOWN, payload: 1 },
      /^bad request: correlation_key is required/,
    ],
  ] as const) {
    const told = await mcp.fail(name, args);
    if (typeof message === 'string') t.is(told, message);
    else t.regex(told, message);
  }
});

test('tool errors: a role that does not suffice, and another tenant’s execution', async (t) => {
  const { api, mcp } = t.context;
  const id = await startWorkflow(api, { ir: approving('kept') });
  const token = await api.mint({ role: 'viewer' });
  const viewer = await connectMcp(api, { token });
  t.like(await viewer.use('get_execution', { execution_id: id }), { status: 'paused' });
  for (const tool of tools.filter(({ endpoint }) => endpoint.access !== 'read')) {
    const told = await viewer.fail(tool.name, { execution_id: id });
    t.is(told, 'insufficient role — developer or operator required', tool.name);
  }
  t.like(await mcp.use('get_execution', { execution_id: id }), { status: 'paused' });
  const other = await api.mint({ role: 'operator', tenant: 'other' });
  const stranger = await connectMcp(api, { token: other });
  t.is(await stranger.fail('cancel_execution', { execution_id: id }), `not found: execution ${id}`);
  const headers = { 'X-Tenant-Id': 'other' };
  const named = await connectMcp(api, { token: api.operatorToken, headers });
  t.is(await named.fail('get_execution', { execution_id: id }), `not found: execution ${id}`);
  for (const { client } of [viewer, stranger, named]) await client.close();
});

test('an unknown tool is an error of the protocol', async (t) => {
  const { client } = t.context.mcp;
  for (const name of ['drop_everything', 'constructor', '__proto__']) {
    const error = await t.throwsAsync(client.callTool({ name, arguments: {} }), {
      instanceOf: ProtocolError,
    });
    t.is(error.code, -32602, name);
    t.notRegex(error.message, /at .*\.m?[jt]s/);
  }
});
