import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { TestAgentOptions } from '../../../support/servers/a2a-agent.ts';
import { TENANT } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { startHttpServer } from '../../../support/servers/http-server.ts';
import { freePort } from '../../../support/servers/ports.ts';
import {
  agentOf,
  asking,
  failureOf,
  open,
  openAgents,
  openProcess,
  SECRET,
  type openProcess as OpenProcess,
} from './a2a-process.ts';
import { problemsOf } from '../enter.ts';

type Process = ReturnType<typeof OpenProcess>;

/** Runs one node until it fails. */
async function fail(t: ExecutionContext, ir: JsonObject, svc?: Process) {
  const process = svc ?? openProcess(await open(t));
  const executionId = await process.start(ir, { ask: 'x' });
  await process.settle();
  const { row } = await process.engine.readExecution({ tenantId: TENANT, executionId });
  t.is(row.status, 'failed');
  const { error, error_class: errorClass, attempt } = await failureOf(process, executionId);
  return {
    error: typeof error === 'string' ? error : '',
    errorClass,
    attempt,
    executionId,
    process,
  };
}

const silent = () => new Promise<void>(() => {});

for (const [state, errorClass] of [
  ['TASK_STATE_FAILED', 'agent_failed'],
  ['TASK_STATE_REJECTED', 'agent_rejected'],
  ['TASK_STATE_CANCELED', 'agent_canceled'],
  ['TASK_STATE_AUTH_REQUIRED', 'unauthorized'],
] as const) {
  test(`a task that ends as ${state} fails permanently, its words in an event alone`, async (t) => {
    const words = `no, by ${SECRET}`;
    const agent = await agentOf(t, (turn) => turn.become(state, words));
    const failed = await fail(t, asking(agent.url));
    t.like(failed, { errorClass, attempt: 0 });
    t.false(failed.error.includes('no, by'));
    const { events } = await failed.process.engine.readEvents({
      tenantId: TENANT,
      executionId: failed.executionId,
      after: 0,
      limit: null,
    });
    const said = events.filter(({ kind }) => kind === 'NodeProgress').at(-1)?.payload as JsonObject;
    t.like(said, { name: 'a2a_status', data: { text: words } });
    t.is(agent.messages.length, 1);
  });
}

test('an agent that asks fails the node where that is wanted', async (t) => {
  const agent = await agentOf(t, (turn) => turn.become('TASK_STATE_INPUT_REQUIRED', 'which?'));
  const failed = await fail(t, asking(agent.url, { on_input_required: 'fail' }));
  t.like(failed, { errorClass: 'input_required', attempt: 0 });
});

test('a message in answer is an output without a task', async (t) => {
  const agent = await agentOf(t, (turn) => turn.reply(`heard ${turn.text}`));
  const svc = openProcess(await open(t));
  const executionId = await svc.start(asking(agent.url), { ask: 'x' });
  await svc.settle();
  const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
  t.like(state.data['answer'], { task_id: null, text: 'heard x', data: null });
});

test('a time limit asks the agent to cancel, once', async (t) => {
  const agent = await agentOf(t, async (turn) => {
    turn.become('TASK_STATE_WORKING');
    await silent();
  });
  const ir = asking(agent.url);
  const nodes = {
    ask: { ...((ir['nodes'] as JsonObject)['ask'] as JsonObject), node_timeout_secs: 4 },
  };
  const failed = await fail(t, { ...ir, nodes });
  t.like(failed, { errorClass: 'timeout', attempt: 0 });
  t.is(agent.messages.length, 1);
  t.is(agent.methods.filter((method) => method === 'CancelTask').length, 1);
});

test('a lost lease leaves the task alone', async (t) => {
  const agent = await agentOf(t, async (turn) => {
    turn.become('TASK_STATE_WORKING');
    await silent();
  });
  const svc = openProcess(await open(t));
  const executionId = await svc.start(asking(agent.url), { ask: 'x' });
  await svc.turn();
  while (agent.methods.at(-1) !== 'GetTask') await svc.turn();
  await svc.engine.cancelExecution({ tenantId: TENANT, actorId: 'token:t', executionId });
  await svc.scheduling.renewOwnLeases();
  await svc.settle();
  t.false(agent.methods.includes('CancelTask'));
});

test('passing troubles while a task is followed are got over', async (t) => {
  let reads = 0;
  const agent = await agentOf(
    t,
    (turn) => {
      turn.artifact({ text: 'done' });
      turn.become('TASK_STATE_COMPLETED');
    },
    {
      intercept: (method, response) => {
        if (method !== 'GetTask' || (reads += 1) > 3) return false;
        if (reads === 1) response.destroy();
        else response.writeHead(503).end('<html>');
        return true;
      },
    },
  );
  const svc = openProcess(await open(t));
  const executionId = await svc.start(asking(agent.url), { ask: 'x' });
  await svc.settle();
  const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
  t.is(row.status, 'completed');
  t.is(agent.messages.length, 1);
});

const RUDE: readonly (readonly [string, TestAgentOptions['intercept'], string, number])[] = [
  ['401', (_, response) => answer(response, 401), 'unauthorized', 0],
  ['404 with a page', (_, response) => answer(response, 404, '<html>'), 'http_4xx', 0],
  ['400 with JSON', (_, response) => answer(response, 400), 'http_4xx', 0],
  ['500', (_, response) => answer(response, 500), 'http_5xx', 1],
  ['no JSON', (_, response) => answer(response, 200, '<html>'), 'invalid_response', 1],
  ['something else', (_, response) => answer(response, 200, '{"a":1}'), 'invalid_response', 1],
  [
    'a huge answer',
    (_, response) => answer(response, 200, `"${'x'.repeat(5_000_000)}"`),
    'too_large',
    0,
  ],
  [
    'a JSON-RPC error',
    (_, response) =>
      answer(
        response,
        200,
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"secret words"}}',
      ),
    'invalid_input',
    0,
  ],
  [
    'an internal error',
    (_, response) =>
      answer(
        response,
        200,
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"secret words"}}',
      ),
    'http_5xx',
    1,
  ],
  [
    'another redirect',
    (_, response) => {
      response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
      return true;
    },
    'refused_address',
    0,
  ],
];

function answer(
  response: Parameters<NonNullable<TestAgentOptions['intercept']>>[1],
  status: number,
  body = '{"error":"secret words"}',
): true {
  response.writeHead(status, {
    'content-type': body.startsWith('<') ? 'text/html' : 'application/json',
  });
  response.end(body);
  return true;
}

for (const [what, intercept, errorClass, lastAttempt] of RUDE) {
  test(`an agent that answers with ${what} is a failure of class ${errorClass}`, async (t) => {
    const agent = await agentOf(t, () => {}, { ...(intercept !== undefined && { intercept }) });
    const failed = await fail(t, asking(agent.url));
    t.like(failed, { errorClass, attempt: lastAttempt }, failed.error);
    t.regex(failed.error, /^agent helper/);
    t.notRegex(failed.error, /secret words|html|169\.254/);
  });
}

test('an agent that limits the rate is asked again when it says so', async (t) => {
  let calls = 0;
  const agent = await agentOf(
    t,
    (turn) => {
      turn.artifact({ text: 'done' });
      turn.become('TASK_STATE_COMPLETED');
    },
    {
      intercept: (_, response) => {
        if ((calls += 1) > 3) return false;
        response.writeHead(429, { 'retry-after': '0' }).end();
        return true;
      },
    },
  );
  const svc = openProcess(await open(t));
  const executionId = await svc.start(asking(agent.url), { ask: 'x' });
  await eventually(async () => {
    await svc.settle();
    const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    if (row.status !== 'completed') throw new Error(`it is ${row.status}`);
  });
  const { events } = await svc.engine.readEvents({
    tenantId: TENANT,
    executionId,
    after: 0,
    limit: null,
  });
  const failures = events.filter(({ kind }) => kind === 'NodeFailed');
  t.is(failures.length, 3);
  for (const { payload } of failures) {
    t.like(payload, { error_class: 'rate_limited', attempt: 0, counted: false });
  }
});

test('an agent whose values no state can hold is refused', async (t) => {
  for (const data of [{ text: 'a\0b' }, { n: 2 ** 60 }, { constructor: 1 }]) {
    const agent = await agentOf(t, (turn) => {
      turn.artifact({ data });
      turn.become('TASK_STATE_COMPLETED');
    });
    t.like(await fail(t, asking(agent.url)), { errorClass: 'invalid_response', attempt: 0 });
  }
});

test('no agent: down, at a refused address, without a card, without the skill', async (t) => {
  const down = `http://127.0.0.1:${await freePort()}`;
  t.like(await fail(t, asking(down)), { errorClass: 'unreachable', attempt: 1 });

  const agent = await agentOf(t, () => {});
  const careful = openProcess(await open(t), openAgents({ allowPrivate: false }));
  const refused = await fail(t, asking(agent.url), careful);
  t.like(refused, { errorClass: 'refused_address', attempt: 0 });
  t.deepEqual(agent.headers, []);

  const mute = await startHttpServer((_, response) => response.writeHead(404).end());
  t.teardown(() => mute.close());
  t.like(await fail(t, asking(mute.url)), { errorClass: 'http_4xx', attempt: 0 });
  t.deepEqual(
    mute.requests.map(({ url }) => url),
    ['/.well-known/agent-card.json', '/.well-known/agent.json'],
  );

  const foreign = await agentOf(t, () => {}, {
    card: (card) => ({ ...card, supportedInterfaces: [{ url: 'x', protocolBinding: 'GRPC' }] }),
  });
  t.like(await fail(t, asking(foreign.url)), { errorClass: 'unsupported', attempt: 0 });
  t.like(await fail(t, asking(agent.url, { skill: 'fly' })), { errorClass: 'unsupported' });
});

test('credentials go to the agent and nowhere else, and are named or refused', async (t) => {
  const other = await agentOf(t, (turn) => {
    turn.artifact({ text: 'done' });
    turn.become('TASK_STATE_COMPLETED');
  });
  const auth = { type: 'bearer', token_env: 'SVC_SECRET_AGENT' };
  const svc = openProcess(await open(t));
  const run = async (url: string) => {
    const executionId = await svc.start(asking(url, {}, { auth }), { ask: 'x' });
    await svc.settle();
    const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(row.status, 'completed');
  };
  await run(other.url);
  t.true(other.headers.every(({ authorization }) => authorization === `Bearer ${SECRET}`));
  const before = other.headers.length;
  // A card with the address of another agent.
  const leading = await agentOf(t, () => {}, {
    card: (card) => ({
      ...card,
      supportedInterfaces: [
        { url: `${other.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    }),
  });
  await run(leading.url);
  const asked = other.headers.slice(before);
  t.true(asked.length > 0);
  t.true(asked.every(({ authorization }) => authorization === undefined));
  for (const token_env of ['DATABASE_URL', 'SVC_SECRET_MISSING']) {
    const wrong = asking(other.url, {}, { auth: { type: 'bearer', token_env } });
    const failed = await fail(t, wrong, svc);
    t.like(failed, { errorClass: 'unauthorized', attempt: 0 });
    t.true(failed.error.includes(token_env));
  }
});

test('a configuration that cannot work is refused at registration, at its place', (t) => {
  const problems = (
    kind: JsonObject,
    agents: JsonObject = { helper: { url: 'https://a.example' } },
  ) =>
    problemsOf({
      workflow_id: 'w',
      remote_agents: agents,
      nodes: { a: { kind: { type: 'a2a_task', ...kind } } },
    });
  t.deepEqual(problems({ remote_agent: 'helper', skill: 'work', stream: true }), []);
  t.deepEqual(problems({}), ['/nodes/a/kind/remote_agent: missing remote_agent']);
  t.deepEqual(problems({ remote_agent: 'nobody' }), [
    '/nodes/a/kind/remote_agent: no agent "nobody" that can be called is in remote_agents',
  ]);
  t.deepEqual(problems({ remote_agent: 'helper', stream: 'yes', on_input_required: 'ask' }), [
    '/nodes/a/kind/stream: must be true or false',
    '/nodes/a/kind/on_input_required: must be one of park, fail',
  ]);
  t.is(problems({ remote_agent: 'helper' }, { helper: { url: 'ftp://a' } }).length, 2);
});
