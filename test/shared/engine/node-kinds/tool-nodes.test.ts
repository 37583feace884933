import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';

import { createCpu } from '../../../../src/scheduler/pool/pool.ts';
import { createMcpCaller } from '../../../../src/shared/clients/mcp/create-mcp-caller.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { ToolDeps } from '../../../../src/shared/nodes/tool/tool-call.ts';
import { createMcpToolRunner } from '../../../../src/shared/nodes/mcp-tool/run.ts';
import type { NodeRunner } from '../../../../src/shared/nodes/run.ts';
import { createToolRunner } from '../../../../src/shared/nodes/tool/run.ts';
import { createGuardedFetch } from '../../../../src/shared/security/guarded-fetch.ts';
import { createNamedSecrets } from '../../../../src/shared/security/named-secrets.ts';
import { createSafeFetch } from '../../../../src/shared/security/safe-fetch.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { startMcpServer } from '../../../support/servers/mcp-server.ts';
import { sendJson, startShop, type Answer } from '../../../support/shop.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Nodes of kinds `tool` and `mcp_tool` in an engine with a real store, and servers on loopback. */

const SECRET = 'shop-secret-0123456789';
const ENV = { SVC_SECRET_SHOP: SECRET, SVC_SECRET_SEARCH: SECRET, OTHER: 'other' };
const OF_ALL = { shards: [...Array(64).keys()], limit: 10 };
const AT_ONCE = { max_attempts: 3, initial_delay: 0, backoff: 'fixed', jitter: false };

function openEngine(store: Store) {
  const cpu = createCpu({ threads: 1 });
  const secrets = createNamedSecrets({ patterns: ['SVC_SECRET_*'], env: ENV, reserved: [] });
  const mcp = createMcpCaller({
    servers: [],
    stdioCommands: [],
    secrets,
    env: ENV,
    fetch: createGuardedFetch({ allowPrivate: true, redirects: 'same_origin' }),
    messageBytesMax: 4_000_000,
    version: '0.0.0',
    now: () => performance.now(),
  });
  const http = createSafeFetch({ allowPrivate: true });
  const tools: ToolDeps = { http, mcp, secrets, cpu, now: Date.now };
  const runners = new Map<string, NodeRunner>([
    ['tool', createToolRunner({ tools })],
    ['mcp_tool', createMcpToolRunner({ tools })],
  ]);
  const close = async () => {
    await mcp.close();
    await cpu.close();
  };
  return { ...openTestEngine({ store, cpu, runners }), closeEngine: close };
}

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite') {
  const shop = await startShop();
  const { store, age, contents, close } = await openTestStore(dialect);
  const engine = openEngine(store);
  t.teardown(async () => {
    await engine.closeEngine();
    await close();
    await shop.close();
  });
  const read = async (executionId: Awaited<ReturnType<typeof engine.start>>) => {
    const of = { tenantId: TENANT, executionId };
    const { events } = await engine.engine.readEvents({ ...of, after: 0, limit: null });
    const { state } = await engine.engine.readExecution(of);
    const payloads = (kind: string) =>
      events.filter((event) => event.kind === kind).map(({ payload }) => payload as JsonObject);
    return { events, status: state.status, state: state.data, payloads };
  };
  /** Runs one node with a tool of the shop, and returns the result. */
  const call = async (tool: JsonObject, input: JsonObject = {}, more: JsonObject = {}) => {
    const { path = '/', ...rest } = tool;
    const id = await engine.start(
      {
        tools: { shop: { kind: 'http', reference: `${shop.url}${path as string}`, ...rest } },
        nodes: {
          a: {
            kind: { type: 'tool', tool_ref: 'shop' },
            output_key: 'a',
            retry_policy: AT_ONCE,
            ...more,
          },
        },
      },
      input,
    );
    await engine.settle();
    return read(id);
  };
  return { shop, age, contents, read, call, ...engine };
}

function example(name: string, hosts: Readonly<Record<string, string>>): JsonObject {
  const file = new URL(`../../../../examples/workflows/${name}.json`, import.meta.url);
  let text = readFileSync(file, 'utf8');
  for (const [host, url] of Object.entries(hosts)) text = text.replaceAll(host, url);
  const { workflow_id: _, ...ir } = JSON.parse(text) as JsonObject;
  return ir;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: examples/workflows/tool.json charges an order`, async (t) => {
    const svc = await open(t, dialect);
    svc.shop.answer(({ path }, response) => {
      if (path.startsWith('/products/')) sendJson(response, { amount: 12.5 });
      else sendJson(response, { id: 'ch_1', key: SECRET }, 201);
    });
    const input = { product: 'a/b', currency: 'eur', customer: 'Ann "&" Co' };
    const id = await svc.start(example('tool', { 'https://shop.example': svc.shop.url }), input);
    await svc.settle();
    const { status, state } = await svc.read(id);
    t.is(status, 'completed');
    t.deepEqual(
      [state['price'], state['charge']],
      [{ amount: 12.5 }, { charge_id: 'ch_1', status: 201 }],
    );
    const [price, charge] = svc.shop.requests;
    t.is(price?.path, '/products/a%2Fb/price?currency=eur');
    t.is(price?.headers.authorization, `Bearer ${SECRET}`);
    t.is(charge?.method, 'POST');
    t.is(charge?.headers['x-api-key'], SECRET);
    t.deepEqual(JSON.parse(charge?.body ?? ''), {
      customer: 'Ann "&" Co',
      amount: 1250,
      note: 'order of Ann "&" Co',
    });
    t.deepEqual((await svc.story(id)).slice(1, 4), [
      'NodeScheduled price',
      'ToolCallCompleted price',
      'NodeCompleted price',
    ]);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: examples of MCP find what they ask for`, async (t) => {
    const svc = await open(t, dialect);
    const server = await startMcpServer();
    for (const name of ['tool-mcp', 'mcp-tool']) {
      const ir = example(name, { 'https://search.example': server.url });
      const id = await svc.start(ir, { question: 'who?' });
      await svc.settle();
      const { state, payloads } = await svc.read(id);
      const limit = name === 'mcp-tool' ? { limit: 3 } : {};
      t.deepEqual(state['found'], { args: { query: 'who?', ...limit } });
      t.is(
        payloads('ToolCallCompleted')[0]?.['tool'],
        name === 'mcp-tool' ? 'search.echo' : 'find',
      );
      t.is(server.calls.at(-1)?.idempotencyKey, payloads('NodeScheduled')[0]?.['idempotency_key']);
    }
    t.is(server.requests[0]?.headers.authorization, `Bearer ${SECRET}`);
    t.is(server.requests.at(-1)?.headers.authorization, undefined);
    await server.close();
  });

  test(`${dialect}: examples/workflows/tool-python.json is work for a worker`, async (t) => {
    const svc = await open(t, dialect);
    const id = await svc.start(example('tool-python', {}), { number: 3 });
    await svc.settle();
    const [item] = await svc.claim();
    t.like(item?.record.payload, { module: 'numbers', function: 'square' });
    t.deepEqual(item?.record.payload['input'], { value: 3 });
    t.is((await svc.read(id)).status, 'running');
  });

  test(`${dialect}: no secret is in any table, even if a server repeats it`, async (t) => {
    const svc = await open(t, dialect);
    svc.shop.answer((request, response) => {
      response.setHeader('x-echo', String(request.headers['x-key']));
      sendJson(response, { echo: request, [`k-${SECRET}`]: [`a ${SECRET} b`] });
    });
    const headers = { 'x-key': '${secret:SVC_SECRET_SHOP}' };
    const done = await svc.call({ headers, response_mapping: '$output' });
    t.is(done.status, 'completed');
    t.true(JSON.stringify(done.state).includes('[secret SVC_SECRET_SHOP]'));
    svc.shop.answer((request, response) => {
      response.writeHead(500).end(JSON.stringify(request));
    });
    t.is((await svc.call({ headers, path: `/?k=${headers['x-key']}` })).status, 'failed');
    t.false(JSON.stringify(await svc.contents()).includes(SECRET));
  });

  test(`${dialect}: a process that dies while a tool works: the next calls with the same key`, async (t) => {
    const svc = await open(t, dialect);
    const other = openEngine(svc.store);
    t.teardown(() => other.closeEngine());
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    svc.shop.answer(async (_, response, count) => {
      asked.resolve();
      if (count === 1) await held.promise;
      sendJson(response, { count });
    });
    const id = await svc.start(oneCall(`${svc.shop.url}/pay`));
    await svc.turn();
    await asked.promise;
    // The first engine stops here; its lease lapses.
    await svc.age({ table: 'work_leases', columns: ['expires_at'], byMs: 31_000 });
    await other.settle();
    t.deepEqual((await svc.read(id)).state['a'], { count: 2 });
    const keys = svc.shop.requests.map(({ headers }) => headers['idempotency-key']);
    t.is(keys.length, 2);
    t.is(keys[0], keys[1]);
    t.is((await svc.read(id)).payloads('NodeScheduled')[0]?.['idempotency_key'], keys[0]);

    // The late answer changes nothing.
    held.resolve();
    await svc.settle();
    const after = await svc.read(id);
    t.deepEqual(after.state['a'], { count: 2 });
    t.is(after.payloads('NodeCompleted').length, 1);
  });

  test(`${dialect}: a process that dies before the call has called nothing; one that has recorded calls no more`, async (t) => {
    const svc = await open(t, dialect);
    const other = openEngine(svc.store);
    t.teardown(() => other.closeEngine());
    const id = await svc.start(oneCall(`${svc.shop.url}/pay`));
    t.is(svc.shop.requests.length, 0);
    await other.settle();
    t.is((await svc.read(id)).status, 'completed');
    await svc.scheduling.reclaimLeases(OF_ALL);
    await svc.settle();
    t.is(svc.shop.requests.length, 1);
    t.is((await svc.read(id)).payloads('ToolCallCompleted').length, 1);
  });
}

const OUTCOMES: readonly (readonly [
  what: string,
  answer: Answer,
  errorClass: string,
  requests: number,
])[] = [
  ['400', (_, response) => sendJson(response, { secret: 'detail' }, 400), 'http_4xx', 1],
  ['401', (_, response) => sendJson(response, { secret: 'detail' }, 401), 'http_4xx', 1],
  ['404', (_, response) => sendJson(response, { secret: 'detail' }, 404), 'http_4xx', 1],
  ['408', (_, response) => sendJson(response, { secret: 'detail' }, 408), 'http_4xx', 3],
  ['425', (_, response) => sendJson(response, { secret: 'detail' }, 425), 'http_4xx', 3],
  ['429', (_, response) => sendJson(response, { secret: 'detail' }, 429), 'rate_limited', 3],
  ['500', (_, response) => sendJson(response, { secret: 'detail' }, 500), 'http_5xx', 3],
  ['503', (_, response) => sendJson(response, { secret: 'detail' }, 503), 'http_5xx', 3],
  ['304', (_, response) => void response.writeHead(304).end(), 'invalid_response', 1],
  ['broken JSON', (_, response) => send(response, 'application/json', '{'), 'invalid_response', 3],
  [
    'bytes that are no text',
    (_, response) => send(response, 'text/plain', Buffer.from([0xff, 0xfe])),
    'invalid_response',
    3,
  ],
  [
    'a number that would be rounded',
    (_, response) => send(response, 'application/json', '{"id": 9007199254740993}'),
    'invalid_response',
    3,
  ],
  [
    'a key that reaches the prototype',
    (_, response) => send(response, 'application/json', '{"a": {"__proto__": {}}}'),
    'invalid_response',
    3,
  ],
  [
    'U+0000',
    (_, response) => send(response, 'application/json', '{"a": "\\u0000"}'),
    'invalid_response',
    3,
  ],
  [
    'deep nesting',
    (_, response) => send(response, 'application/json', '['.repeat(200) + ']'.repeat(200)),
    'invalid_response',
    3,
  ],
  ['too much', (_, response) => send(response, 'text/plain', 'x'.repeat(2000)), 'too_large', 1],
  ['an endless body', (_, response) => pour(response), 'too_large', 1],
  ['silence', () => undefined, 'timeout', 3],
  ['a closed door', (_, response) => void response.destroy(), 'unreachable', 3],
  [
    'a redirect to the metadata service',
    (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    'refused_address',
    1,
  ],
  [
    'redirects in a circle',
    (_, response) => void response.writeHead(307, { location: '/' }).end(),
    'invalid_response',
    4,
  ],
];

for (const [what, answer, errorClass, requests] of OUTCOMES) {
  test(`${what}: ${errorClass} after ${requests} requests, in our words`, async (t) => {
    const svc = await open(t);
    svc.shop.answer(answer);
    const { status, payloads } = await svc.call({
      response_bytes_max: 1000,
      timeout_secs: what === 'silence' ? '100ms' : 30,
    });
    t.is(status, 'failed');
    const failures = payloads('NodeFailed');
    // A connection may take longer than the time limit of the silent case.
    if (what === 'silence') t.is(failures.length, requests);
    else t.is(svc.shop.requests.length, requests);
    t.true(failures.every((failure) => failure['error_class'] === errorClass));
    t.is(failures.at(-1)?.['retryable'], false);
    for (const { error } of failures) t.notRegex(JSON.stringify(error), /detail|169\.254/);
  });
}

test('answers: JSON is parsed, text is text, nothing is null', async (t) => {
  const svc = await open(t);
  const answers: [string, string, unknown][] = [
    ['application/json', '[1]', [1]],
    ['application/problem+json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['text/html', '<p>ä', '<p>ä'],
    ['application/json', '', null],
  ];
  for (const [type, body, expected] of answers) {
    svc.shop.answer((_, response) => send(response, type, body));
    t.deepEqual((await svc.call({})).state['a'] ?? null, expected, type);
  }
});

test('a mapping sees status, headers, body, state and input', async (t) => {
  const svc = await open(t);
  svc.shop.answer((_, response) => {
    response.setHeader('x-page', '7');
    sendJson(response, { items: [1, 2] }, 202);
  });
  const response_mapping = {
    status: '$output.status',
    page: '$output.headers["x-page"]',
    count: { expr: 'size(output.body.items)' },
    region: '$.region',
    asked: '$input.q',
  };
  const more = { input_mapping: { q: { literal: 'x' } } };
  const { state } = await svc.call({ response_mapping }, { region: 'eu' }, more);
  t.deepEqual(state['a'], { status: 202, page: '7', count: 2, region: 'eu', asked: 'x' });
  const broken = { response_mapping: { expr: 'output.body.items > 3' } };
  const failed = await svc.call(broken);
  t.like(failed.payloads('NodeFailed')[0], { error_class: 'expression_error', retryable: false });
});

test('the input is judged before the call, and the output after it', async (t) => {
  const svc = await open(t);
  const input_schema = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' } },
  };
  const wrong = await svc.call({ input_schema }, { id: 'personal' });
  t.like(wrong.payloads('NodeFailed')[0], { error_class: 'invalid_input', retryable: false });
  t.notRegex(JSON.stringify(wrong.payloads('NodeFailed')), /personal/);
  t.is(svc.shop.requests.length, 0);
  const output_schema = { type: 'object', required: ['paid'] };
  const more = { retry_policy: 'no_retry' };
  const poor = await svc.call({ input_schema, output_schema }, { id: 1 }, more);
  t.like(poor.payloads('NodeFailed')[0], { error_class: 'invalid_response' });
  const kind = { type: 'tool', tool_ref: 'shop', output_schema };
  const ofNode = await svc.call({}, {}, { ...more, kind });
  t.like(ofNode.payloads('NodeFailed')[0], { error_class: 'invalid_response' });
});

test('a secret that may not be named is never sent', async (t) => {
  const svc = await open(t);
  const { payloads } = await svc.call({ headers: { 'x-key': '${secret:OTHER}' } });
  t.like(payloads('NodeFailed')[0], { error_class: 'unauthorized', retryable: false });
  t.regex(JSON.stringify(payloads('NodeFailed')), /OTHER.. may not be used by workflows/);
  t.is(svc.shop.requests.length, 0);
});

test('an answer nested as deep as it is long is refused before it is searched for secrets', async (t) => {
  const svc = await open(t);
  const depth = 200_000;
  svc.shop.answer((_, response) => {
    send(response, 'application/json', '['.repeat(depth) + ']'.repeat(depth));
  });
  const headers = { 'x-key': '${secret:SVC_SECRET_SHOP}' };
  const { payloads } = await svc.call({ headers }, {}, { retry_policy: 'no_retry' });
  t.like(payloads('NodeFailed')[0], { error_class: 'invalid_response' });
});

test('another origin gets neither a secret of the body nor one of a header', async (t) => {
  const svc = await open(t);
  const other = await startShop();
  svc.shop.answer((_, response) => void response.writeHead(307, { location: other.url }).end());
  const secret = '${secret:SVC_SECRET_SHOP}';
  const refused = await svc.call({ method: 'POST', body: { key: secret } });
  t.like(refused.payloads('NodeFailed')[0], { error_class: 'refused_address', retryable: false });
  t.is(other.requests.length, 0);
  const followed = await svc.call({ headers: { 'x-key': secret, authorization: secret } });
  t.is(followed.status, 'completed');
  t.false(JSON.stringify(other.requests).includes(SECRET));
  t.is(other.requests.length, 1);
  await other.close();
});

test('a rate limit is waited out without counting', async (t) => {
  const svc = await open(t);
  svc.shop.answer((_, response, count) => {
    response.setHeader('retry-after', '7');
    sendJson(response, {}, count === 1 ? 429 : 200);
  });
  const { payloads, status, events } = await svc.call({}, {}, { retry_policy: 'no_retry' });
  t.is(status, 'running');
  t.like(payloads('NodeFailed')[0], {
    error_class: 'rate_limited',
    retry_delay_ms: 7000,
    counted: false,
  });
  await svc.age({ table: 'retry_timers', columns: ['due_at'], byMs: 8_000 });
  await svc.settle();
  t.is(events.length, 4);
  t.is(svc.shop.requests.length, 2);
});

test('policies know a tool by its name, and one of MCP by server and tool', async (t) => {
  const svc = await open(t);
  const blocked = await svc.call({}, {}, { policy: { blocked_tools: ['sh*'] } });
  t.is(blocked.payloads('NodeFailed')[0]?.['error_class'], 'policy_violation');
  t.is(svc.shop.requests.length, 0);
  const id = await svc.start({
    mcp_servers: { search: { url: 'http://127.0.0.1:1/mcp' } },
    nodes: {
      a: {
        kind: { type: 'mcp_tool', server: 'search', tool: 'find' },
        policy: { blocked_tools: ['search.*'] },
      },
    },
  });
  await svc.settle();
  t.is((await svc.read(id)).payloads('NodeFailed')[0]?.['error_class'], 'policy_violation');
});

test('a map calls a tool for each item', async (t) => {
  const svc = await open(t);
  svc.shop.answer(({ path }, response) => sendJson(response, path));
  const id = await svc.start(
    {
      tools: { get: { kind: 'http', reference: `${svc.shop.url}/{item}` } },
      nodes: {
        all: {
          kind: {
            type: 'map',
            items: 'state.ids',
            node: { kind: { type: 'tool', tool_ref: 'get' } },
          },
          output_key: 'all',
        },
      },
    },
    { ids: ['a', 'b', 'c/d'] },
  );
  await svc.settle();
  t.deepEqual((await svc.read(id)).state['all'], ['/a', '/b', '/c%2Fd']);
});

test('results of MCP: content without structure, and an error in our words', async (t) => {
  const svc = await open(t);
  const server = await startMcpServer();
  const run = async (tool: string, more: JsonObject = {}) => {
    const id = await svc.start({
      mcp_servers: { s: { url: `${server.url}/mcp` } },
      nodes: {
        a: {
          kind: { type: 'mcp_tool', server: 's', tool, ...more },
          input_mapping: { literal: {} },
          output_key: 'a',
          retry_policy: 'no_retry',
        },
      },
    });
    await svc.settle();
    return svc.read(id);
  };
  t.is((await run('text')).state['a'], 'plain words');
  t.deepEqual((await run('json')).state['a'], { n: 1 });
  t.is(((await run('several')).state['a'] as unknown[]).length, 2);
  t.is((await run('nothing')).state['a'] ?? null, null);
  for (const tool of ['fail', 'throw']) {
    const [failure] = (await run(tool)).payloads('NodeFailed');
    t.like(failure, { error_class: 'tool_error', error: `s.${tool}: the tool reported an error` });
  }
  const [poor] = (await run('json', { output_schema: { required: ['m'] } })).payloads('NodeFailed');
  t.is(poor?.['error_class'], 'invalid_response');
  await server.close();
});

test('an MCP tool takes an object, and a server must be known by the time of the call', async (t) => {
  const svc = await open(t);
  const run = async (node: JsonObject) => {
    const id = await svc.start({ nodes: { a: node } });
    await svc.settle();
    return (await svc.read(id)).payloads('NodeFailed')[0];
  };
  const kind = { type: 'mcp_tool', server: 'nobody', tool: 'find' };
  const failure = await run({ kind });
  t.like(failure, { error_class: 'unsupported', retryable: false });
  t.regex(JSON.stringify(failure), /nobody\.find: no MCP server ..nobody..: name one under/);
  const wrong = await run({ kind, input_mapping: { literal: [1] } });
  t.like(wrong, { error_class: 'invalid_input', retryable: false });
});

function oneCall(reference: string): JsonObject {
  return {
    tools: { pay: { kind: 'http', method: 'POST', reference } },
    nodes: {
      a: { kind: { type: 'tool', tool_ref: 'pay' }, output_key: 'a', retry_policy: AT_ONCE },
    },
  };
}

function send(
  response: Parameters<Answer>[1],
  type: string,
  body: string | Buffer,
  status = 200,
): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

function pour(response: Parameters<Answer>[1]): void {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(16_384)));
  };
  response.on('drain', more);
  more();
}
