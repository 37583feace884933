import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';

import { systemDelays } from '../../../../src/shared/clients/system-delays.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { createAgentDirectory } from '../../../../src/shared/engine/agents/agent-directory.ts';
import { activateAgent } from '../../../../src/shared/engine/agents/activate-agent.ts';
import { deactivateAgent } from '../../../../src/shared/engine/agents/deactivate-agent.ts';
import type { AgentsDeps } from '../../../../src/shared/engine/agents/deps.ts';
import { discoverAgent } from '../../../../src/shared/engine/agents/discover-agent.ts';
import { readAgent } from '../../../../src/shared/engine/agents/read-agent.ts';
import { registerAgent } from '../../../../src/shared/engine/agents/register-agent.ts';
import type { ToolDeps } from '../../../../src/shared/nodes/tool/tool-call.ts';
import { createAgentRunner } from '../../../../src/shared/nodes/agent/run.ts';
import {
  createAgentDiscoveryRunner,
  createCoordinatorRunner,
} from '../../../../src/shared/nodes/agent-discovery/run.ts';
import type { NodeRunner } from '../../../../src/shared/nodes/run.ts';
import type { McpToolCall } from '../../../../src/shared/ports/mcp.ts';
import type { ModelAnswer, ModelCall, ModelFailure } from '../../../../src/shared/ports/models.ts';
import { createSafeFetch } from '../../../../src/shared/security/safe-fetch.ts';
import { startTestAgent } from '../../../support/servers/a2a-agent.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';
import { DIALECTS, openAgents, SECRET } from '../a2a-task/a2a-process.ts';
import { nodeProblems } from '../enter.ts';

const of = (executionId: string) => ({ tenantId: TENANT, actorId: 'token:t', executionId });

async function open(t: ExecutionContext, dialect: (typeof DIALECTS)[number] = 'sqlite') {
  const { store, close } = await openTestStore(dialect);
  t.teardown(close);
  const asked: ModelCall[] = [];
  const called: McpToolCall[] = [];
  const answers: (ModelAnswer | ModelFailure)[] = [];
  const directory = createAgentDirectory({ store: store.agents, heartbeatTimeoutMs: 90_000 });
  const models = {
    async call(params: ModelCall) {
      asked.push(params);
      const answer = answers.shift();
      if (answer === undefined) throw new Error('the test has no answer for a model call');
      return answer;
    },
  };
  const tools: ToolDeps = {
    http: createSafeFetch({ allowPrivate: true }),
    mcp: {
      async callTool(params) {
        called.push(params);
        if (params.tool === 'hang') {
          await once(params.signal, 'abort');
          return { ok: false, error: 'the call was given up', errorClass: 'error' };
        }
        return { ok: true, isError: false, structured: { found: 1 }, content: [] };
      },
    },
    secrets: { read: () => ({ ok: false, problem: 'none' }) },
    cpu: { validateSchema: async () => [] },
    now: Date.now,
  };
  const deps = { a2a: openAgents(), delays: systemDelays, directory, models, tools };
  const svc = openTestEngine({
    store,
    runners: new Map<string, NodeRunner>([
      ['agent', createAgentRunner(deps)],
      ['agent_discovery', createAgentDiscoveryRunner(deps)],
      ['coordinator', createCoordinatorRunner(deps)],
    ]),
  });
  const agents: AgentsDeps = {
    store: store.agents,
    ids: { uuid: randomUUID },
    http: createSafeFetch({ allowPrivate: true }),
    now: () => performance.now(),
    settings: { heartbeatTimeoutMs: 90_000 },
  };
  const register = async (
    card: JsonObject,
    options: { tenant?: string; active?: boolean } = {},
  ) => {
    const tenantId = (options.tenant ?? TENANT) as TenantId;
    const caller = { tenantId, actorId: 'token:t' };
    const { agentId } = await registerAgent(agents, caller, { card });
    if (options.active ?? true) await activateAgent(agents, caller, { agentId });
    return agentId;
  };
  const run = async (nodes: JsonObject, input: JsonObject = {}, more: JsonObject = {}) => {
    const executionId = await svc.start({ nodes, ...more }, input);
    await svc.settle();
    return executionId;
  };
  const read = async (executionId: string) => {
    const { row, state } = await svc.engine.readExecution(of(executionId));
    const { events } = await svc.engine.readEvents({ ...of(executionId), after: 0, limit: null });
    const failed = events.findLast(({ kind }) => kind === 'NodeFailed')?.payload as JsonObject;
    return { status: row.status, data: state.data, failed: failed ?? {}, events };
  };
  return { svc, agents, register, run, read, asked, called, answers };
}

const skilled = (id: string, skills: readonly string[], more: JsonObject = {}) => ({
  id,
  name: `Agent ${id}`,
  uri: `https://${id}.example`,
  capabilities: { skills, protocols: ['a2a'] },
  ...more,
});

const answering = (agent_id: string): ModelAnswer => ({
  ok: true,
  text: '',
  object: { agent_id },
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 10, outputTokens: 2, costUsd: 0.001 },
  model: 'gpt-5-mini',
});

const find = (type: string, more: JsonObject = {}) => ({
  a: { kind: { type, required_skills: ['translate'], ...more }, output_key: 'found' },
});
const MODELS = { models: { m: { provider: 'openai', model: 'gpt-5-mini' } } };

async function translator() {
  return startTestAgent((turn) => {
    turn.artifact({ text: turn.text.toUpperCase() });
    turn.become('TASK_STATE_COMPLETED');
  });
}

for (const dialect of DIALECTS) {
  test(`${dialect}: discovery ranks the active agents of the tenant that can do it`, async (t) => {
    const { register, run, read } = await open(t, dialect);
    await register(skilled('low', ['translate'], { trust: 0.1 }));
    await register(skilled('high', ['translate', 'sing'], { trust: 0.9 }));
    await register(skilled('other', ['sing'], { trust: 1 }));
    await register(skilled('idle', ['translate'], { trust: 1 }), { active: false });
    await register(skilled('foreign', ['translate'], { trust: 1 }), { tenant: 'elsewhere' });
    const { data } = await read(await run(find('agent_discovery', { output_binding: 'bound' })));
    const found = data['found'] as {
      readonly agents: readonly JsonObject[];
      readonly count: number;
    };
    t.is(found.count, 2);
    t.deepEqual(
      found.agents.map(({ agent_id }) => agent_id),
      ['high', 'low'],
    );
    t.like(found.agents[0], {
      name: 'Agent high',
      uri: 'https://high.example',
      parts: { trust: 0.9 },
    });
    t.deepEqual(data['bound'], data['found']);
    const none = await read(await run(find('agent_discovery', { skill: 'fly' })));
    t.deepEqual(none.data['found'], { agents: [], count: 0 });
  });

  test(`${dialect}: the coordinator picks the best, and an event tells why`, async (t) => {
    const { register, run, read } = await open(t, dialect);
    await register(skilled('low', ['translate'], { trust: 0.1 }));
    await register(skilled('high', ['translate'], { trust: 0.9 }));
    const { data, events } = await read(await run(find('coordinator')));
    t.like(data['found'], { agent_id: 'high', by: 'score' });
    const selected = events.find(({ kind }) => kind === 'NodeProgress')?.payload as JsonObject;
    t.like(selected, {
      name: 'agent_selected',
      kept: true,
      data: {
        chosen: 'high',
        by: 'score',
        candidates: [{ agent_id: 'high' }, { agent_id: 'low' }],
      },
    });
  });

  test(`${dialect}: an agent that is picked does the task, on a retry the same one`, async (t) => {
    const { register, run, read, agents } = await open(t, dialect);
    let isUp = false;
    const agent = await startTestAgent(
      (turn) => {
        turn.artifact({ text: turn.text.toUpperCase() });
        turn.become('TASK_STATE_COMPLETED');
      },
      {
        intercept: (_, response) => {
          if (isUp) return false;
          isUp = true;
          // An agent that registers meanwhile would be a better match.
          void register(skilled('better', ['translate'], { trust: 1 })).then(() =>
            response.writeHead(503).end(),
          );
          return true;
        },
      },
    );
    t.teardown(() => agent.close());
    await register({ ...skilled('first', ['translate'], { trust: 0.6 }), uri: agent.url });
    const kind = { type: 'agent_tool', agent: 'auto', required_skills: ['translate'] };
    const node = { kind, input_mapping: '$.ask', output_key: 'answer' };
    const retry_policy = { max_attempts: 2, initial_delay: 0 };
    const id = await run({ a: { ...node, retry_policy } }, { ask: 'x' });
    const { status, data, events, failed } = await read(id);
    t.is(status, 'completed', JSON.stringify(failed));
    t.like(data['answer'], { text: 'X' });
    const tool = events.find(({ kind: is }) => is === 'ToolCallCompleted')?.payload as JsonObject;
    t.is(tool['tool'], 'first');
    t.is((await readAgent(agents, { tenantId: TENANT }, { agentId: 'better' })).status, 'active');
  });
}

test('an agent that was picked and is deactivated before a retry is not called any more', async (t) => {
  const { register, run, read, agents } = await open(t);
  const agent = await startTestAgent(() => {}, {
    intercept: (_, response) => {
      const caller = { tenantId: TENANT, actorId: 'token:t' };
      void deactivateAgent(agents, caller, { agentId: 'only' }).then(() =>
        response.writeHead(503).end(),
      );
      return true;
    },
  });
  t.teardown(() => agent.close());
  await register({ ...skilled('only', ['translate']), uri: agent.url });
  const kind = { type: 'agent', agent: 'auto', required_skills: ['translate'] };
  const retry_policy = { max_attempts: 2, initial_delay: 0 };
  const { failed } = await read(await run({ a: { kind, retry_policy } }, { ask: 'x' }));
  t.like(failed, { error_class: 'no_agent', attempt: 1 });
  t.is(agent.methods.length, 1);
});

test('nearly equal agents: a model decides, else the lower id', async (t) => {
  const { register, run, read, asked, answers } = await open(t);
  for (const [id, trust] of [
    ['b', 0.7],
    ['a', 0.69],
    ['far', 0.1],
  ] as const) {
    await register(skilled(id, ['translate'], { trust }));
  }
  const by = async (more: JsonObject) =>
    (await read(await run(find('coordinator', more), {}, MODELS))).data['found'];
  t.like(await by({}), { agent_id: 'a', by: 'agent_id' });
  t.is(asked.length, 0);
  answers.push(answering('b'));
  t.like(await by({ tiebreaker: 'model' }), { agent_id: 'b', by: 'model' });
  t.false(JSON.stringify(asked[0]?.messages).includes('far'));
  answers.push(answering('far'));
  t.like(await by({ tiebreaker: 'model' }), { agent_id: 'a', by: 'agent_id' });
  answers.push({
    ok: false,
    error: 'provider openai answered 401',
    errorClass: 'unauthorized',
    final: true,
  });
  const failed = await read(await run(find('coordinator', { tiebreaker: 'model' }), {}, MODELS));
  t.like(failed.failed, { error_class: 'unauthorized', attempt: 0 });
});

test('agents that the policy blocks are no candidates, and none is a failure', async (t) => {
  const { register, run, read } = await open(t);
  await register(skilled('a', ['translate'], { trust: 1 }));
  await register(skilled('b', ['translate']));
  const policy = { policy: { blocked_tools: ['a'] } };
  const picked = await read(await run(find('coordinator'), {}, policy));
  t.like(picked.data['found'], { agent_id: 'b' });
  const nodes = { a: { ...find('coordinator').a, retry_policy: 'no_retry' } };
  const none = await read(await run(nodes, {}, { policy: { blocked_tools: ['*'] } }));
  t.like(none.failed, { error_class: 'no_agent' });
  const asked = { a: { kind: { type: 'agent', agent_ref: 'a' } } };
  t.like((await read(await run(asked, {}, policy))).failed, {
    error_class: 'policy_violation',
    attempt: 0,
  });
});

test('an agent that needs an approval is called after it, with what was shown', async (t) => {
  const { svc, register, run, read } = await open(t);
  const agent = await translator();
  t.teardown(() => agent.close());
  await register({ ...skilled('a', ['translate']), uri: agent.url });
  const nodes = {
    a: { kind: { type: 'agent', agent_ref: 'a' }, input_mapping: '$.ask', output_key: 'answer' },
  };
  const id = await run(nodes, { ask: 'x' }, { policy: { require_approval_for: ['a'] } });
  t.is((await read(id)).status, 'paused');
  t.deepEqual(agent.headers, []);
  const requested = (await read(id)).events.find(({ kind }) => kind === 'ApprovalRequested');
  t.like(requested?.payload, { shown: { agent_id: 'a', input: 'x' } });
  const decision = { decision: 'approved', nodeId: null, userId: 'ann', comment: null } as const;
  await svc.engine.decideApproval({ ...of(id), ...decision, statePatch: null });
  await svc.settle();
  t.like((await read(id)).data['answer'], { text: 'X' });
  t.is(agent.messages.length, 1);
});

test('a registered agent is called by its id or address, an unknown address as it is', async (t) => {
  const { register, run, read } = await open(t);
  const agent = await translator();
  t.teardown(() => agent.close());
  const auth = { type: 'bearer_token', token_env: 'SVC_SECRET_AGENT' };
  const node = (choice: JsonObject) => ({
    a: {
      kind: { type: 'agent', ...choice },
      input_mapping: '$.ask',
      output_key: 'answer',
      retry_policy: 'no_retry',
    },
  });
  const ask = async (choice: JsonObject, input: JsonObject = {}) =>
    read(await run(node(choice), { ask: 'x', ...input }));
  t.like((await ask({ agent: { explicit: agent.url } })).data['answer'], { text: 'X' });
  t.is(agent.headers.at(-1)?.authorization, undefined);
  await register({ ...skilled('a', ['translate']), uri: agent.url, auth });
  t.like((await ask({ agent: { explicit: agent.url } })).data['answer'], { text: 'X' });
  t.is(agent.headers.at(-1)?.authorization, `Bearer ${SECRET}`);
  t.like((await ask({ agent_ref: '$.who' }, { who: 'a' })).data['answer'], { text: 'X' });
  t.like((await ask({ agent_ref: '$.who' })).failed, { error_class: 'invalid_value' });
  t.like((await ask({ agent_ref: 'nobody' })).failed, { error_class: 'no_agent' });
  await register(skilled('idle', ['translate']), { active: false });
  t.like((await ask({ agent_ref: 'idle' })).failed, { error_class: 'no_agent' });
});

test('a card that the agent served names no secrets', async (t) => {
  const { agents, run, read } = await open(t);
  const agent = await startTestAgent(
    (turn) => {
      turn.artifact({ text: 'done' });
      turn.become('TASK_STATE_COMPLETED');
    },
    {
      card: (card) => ({
        ...card,
        id: 'found',
        auth: { type: 'bearer_token', token_env: 'SVC_SECRET_AGENT' },
      }),
    },
  );
  t.teardown(() => agent.close());
  const who = { tenantId: TENANT, actorId: 'token:t' };
  await discoverAgent(agents, who, { url: agent.url, signal: AbortSignal.timeout(10_000) });
  await activateAgent(agents, who, { agentId: 'found' });
  const { status } = await read(await run({ a: { kind: { type: 'agent', agent_ref: 'found' } } }));
  t.is(status, 'completed');
  t.true(agent.headers.every(({ authorization }) => authorization === undefined));
});

test('an agent that is an MCP server has no more time than the node gives it', async (t) => {
  const { register, run, read } = await open(t);
  const capabilities = { protocols: ['mcp'], tools_provided: ['hang'] };
  await register({ id: 'slow', name: 'Slow', uri: 'https://slow.example/mcp', capabilities });
  const kind = { type: 'agent', agent_ref: 'slow', timeout_ms: 50 };
  const { failed } = await read(await run({ a: { kind, retry_policy: 'no_retry' } }));
  t.like(failed, { error_class: 'timeout', error: 'the agent slow did not answer in time' });
});

test('an agent that is an MCP server is called as one, others are refused', async (t) => {
  const { register, run, read, called } = await open(t);
  const card = (id: string, protocols: readonly string[], tools: readonly string[]) => ({
    id,
    name: id,
    uri: `https://${id}.example/mcp`,
    capabilities: { protocols, tools_provided: tools },
  });
  await register(card('one', ['mcp'], ['search']));
  await register(card('two', ['mcp'], ['search', 'sort']));
  await register(card('anp', ['anp'], []));
  const ask = async (kind: JsonObject) =>
    read(await run({ a: { kind: { type: 'agent', ...kind }, output_key: 'answer' } }, { q: 1 }));
  t.deepEqual((await ask({ agent_ref: 'one' })).data['answer'], { found: 1 });
  t.like(called[0], {
    tool: 'search',
    arguments: { q: 1 },
    server: { part: { url: 'https://one.example/mcp' } },
  });
  t.deepEqual((await ask({ agent_ref: 'two', skill: 'sort' })).data['answer'], { found: 1 });
  t.is(called[1]?.tool, 'sort');
  t.like((await ask({ agent_ref: 'two' })).failed, { error_class: 'invalid_input', attempt: 0 });
  t.like((await ask({ agent_ref: 'anp' })).failed, { error_class: 'unsupported', attempt: 0 });
});

test('an agent that costs more than the budget is not called', async (t) => {
  const { register, run, read } = await open(t);
  await register(skilled('dear', ['translate'], { cost_usd: 2, trust: 1 }));
  const kind = { type: 'agent', agent_ref: 'dear', budget: { max_cost_usd: 1 } };
  t.like((await read(await run({ a: { kind } }))).failed, {
    error_class: 'budget_exceeded',
    attempt: 0,
  });
  await register(skilled('cheap', ['translate'], { cost_usd: 0.5 }));
  const { data } = await read(await run(find('coordinator', { budget: 1 })));
  t.like(data['found'], { agent_id: 'cheap' });
});

test('a configuration that cannot work is refused at registration, at its place', (t) => {
  const problems = (kind: JsonObject) => nodeProblems({ kind });
  t.deepEqual(problems({ type: 'agent', agent: 'auto' }), []);
  t.deepEqual(problems({ type: 'coordinator', skill: 'x', output_binding: '__proto__' }), [
    '/kind/output_binding: the key __proto__ is not allowed',
  ]);
  t.deepEqual(problems({ type: 'agent' }), [
    '/kind/agent: missing agent_ref, or agent: "auto", an agent\'s id, or {"explicit": "https://…"}',
  ]);
  t.deepEqual(problems({ type: 'agent', agent: { explicit: 'ftp://a' } }), [
    '/kind/agent: must be "auto", an agent\'s id, or {"explicit": "https://…"}',
  ]);
  t.deepEqual(problems({ type: 'agent', agent: { explicit: 'https://ann:secret@a.example' } }), [
    '/kind/agent/explicit: must not hold credentials: name secrets in auth',
  ]);
  for (const id of ['', 'x'.repeat(513), 5]) {
    t.deepEqual(problems({ type: 'agent', agent_ref: id }), [
      "/kind/agent_ref: must be an agent's id, text of 1 to 512 bytes",
    ]);
  }
  t.deepEqual(problems({ type: 'agent', agent: 'a', agent_ref: 'b' }), [
    '/kind/agent: agent_ref or agent, not both',
  ]);
  t.deepEqual(problems({ type: 'agent', agent: 'auto', timeout_ms: 1.5, budget: 'much' }), [
    '/kind/budget: must be US dollars, as a number or as {"max_cost_usd": …}',
    '/kind/timeout_ms: must be a whole number of milliseconds above 0',
  ]);
  t.deepEqual(
    problems({
      type: 'coordinator',
      required_skills: [1],
      preferred_skills: {},
      weights: { trust: -1, charm: 1 },
      tiebreaker: 'coin',
    }),
    [
      '/kind/required_skills: must be a list of names of skills',
      '/kind/preferred_skills: must be a list of names of skills',
      '/kind/weights/trust: must be a number from 0 to 1000',
      '/kind/weights/charm: is no part of a score',
      '/kind/tiebreaker: must be one of model, agent_id',
    ],
  );
  t.deepEqual(problems({ type: 'coordinator', tiebreaker: 'model' }), [
    '/kind/model_ref: missing model_ref: the name of one of models',
  ]);
  t.deepEqual(
    problems({ type: 'coordinator', weights: { skills: 0, trust: 0, cost: 0, latency: 0 } }),
    ['/kind/weights: one of them must be above 0'],
  );
});
