import type { ExecutionContext } from 'ava';

import { onBothStores } from '../support/both-stores.ts';
import type { ErrorBody } from '../support/http.ts';
import type { TestTenant } from '../support/tenant.ts';
import type { WorkItem } from '../support/wire.ts';

/* Every hostile input gets a 4xx with the reason, and changes nothing. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };

/** JSON texts in places for user data; the service parses them, not the test. */
const REFUSED_VALUES: Readonly<Record<string, string>> = {
  'U+0000': '{"a":"x\\u0000y"}',
  'U+0000 in a key': '{"x\\u0000y":1}',
  'a lone high surrogate': '{"a":"\\ud800"}',
  'a lone low surrogate': '{"a":"\\udc00x"}',
  'a lone surrogate in a key': '{"\\udfff":1}',
  'the key __proto__': '{"__proto__":{"admin":true}}',
  'the key __proto__, deeper': '{"a":[{"b":{"__proto__":1}}]}',
  'the key constructor': '{"constructor":{"prototype":{}}}',
  'the key prototype': '{"a":{"prototype":1}}',
  'an integer beyond 2^53': '{"a":9007199254740993}',
  'a negative one': '{"a":-9007199254740993}',
  'a huge float': '{"a":1e300}',
  'a number beyond doubles': '{"a":1e999}',
  'nesting beyond 64': `{"a":${'['.repeat(64)}${']'.repeat(64)}}`,
  'nesting of thousands': `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
};

const KEPT_VALUES: Readonly<Record<string, unknown>> = {
  'the last safe integer': { a: Number.MAX_SAFE_INTEGER, b: Number.MIN_SAFE_INTEGER },
  fractions: { a: 0.1, b: 5e-324, c: -0.000_1 },
  'text of every plane': { a: 'ä€𝄞\u0001\u007f\u2028\ufffd', '🔑': '💥' },
  'names of inherited members': { toString: 1, hasOwnProperty: 2, valueOf: 3, length: 4 },
  'keys that look like numbers': { 1: 'b', 0: 'a', '-1': 'c' },
  'empty things': { '': '', a: {}, b: [], c: null, d: [null] },
  'nesting just within 64': { a: nested(60) },
  'text like SQL': { a: "'; drop table executions; --", b: '$1 %s ?', c: '\\' },
};

check('400: an input that cannot be stored unchanged', async (t, svc) => {
  await svc.register({ nodes: {} });
  for (const [title, text] of Object.entries(REFUSED_VALUES)) {
    await refused(t, svc, {
      title,
      path: '/executions',
      raw: `{"workflow_id":"w","input":${text}}`,
    });
  }
  const list = await svc.get<{ executions: unknown[] }>('/executions');
  t.deepEqual(list.body.executions, []);
});

check('200: an input that is merely odd comes back as it was sent', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: call } });
  for (const [title, input] of Object.entries(KEPT_VALUES)) {
    const id = await svc.start(workflowId, input as never);
    t.deepEqual((await svc.read(id)).input, input as never, title);
    const item = await svc.claimOf('a');
    t.deepEqual(item.payload['input'], input as never, title);
    const settled = await svc.complete(item, input as never, {
      state_patch: { kept: input } as never,
    });
    t.is(settled.status, 200, title);
    const { state } = await svc.until(id, 'completed');
    // A merge patch takes null for "remove".
    if (title !== 'empty things') t.deepEqual(state['kept'], input as never, title);
    const events = await svc.events(id);
    t.deepEqual(
      events.find(({ kind }) => kind === 'NodeCompleted')?.payload['output'],
      input as never,
    );
  }
});

check('400: a result that cannot be kept settles nothing', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  const item = await svc.claim();
  const before = await svc.events(id);
  for (const [title, text] of Object.entries(REFUSED_VALUES)) {
    for (const field of ['output', 'state_patch']) {
      const other = field === 'output' ? 'state_patch' : 'output';
      await refused(t, svc, {
        title: `${field}: ${title}`,
        path: `/work-items/${item.id}/complete`,
        raw: `{${proof(item)},"${field}":${text},"${other}":{}}`,
      });
    }
  }
  t.deepEqual(await svc.events(id), before);
  t.is((await svc.complete(item)).status, 200);
});

check('400: events, decisions and errors that cannot be kept', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      split: { kind: { type: 'parallel', branches: ['a', 'b'] } },
      a: call,
      b: { kind: 'human_approval' },
    },
  });
  const item = await svc.claim();
  const before = await svc.events(id);
  for (const [title, text] of Object.entries(REFUSED_VALUES)) {
    const path = `/executions/${id}`;
    const event = `{"correlation_key":"k","payload":${text}}`;
    await refused(t, svc, { title, path: `${path}/external-event`, raw: event });
    const decision = `{"decision":"approved","state_patch":${text}}`;
    await refused(t, svc, { title, path: `${path}/approve`, raw: decision });
  }
  for (const text of ['x\\u0000', '\\ud800']) {
    for (const [path, raw] of [
      [`/executions/${id}/external-event`, `{"correlation_key":"${text}","payload":{}}`],
      [`/executions/${id}/approve`, `{"decision":"approved","comment":"${text}"}`],
      [`/executions/${id}/approve`, `{"decision":"approved","user_id":"${text}"}`],
      [`/work-items/${item.id}/fail`, `{${proof(item)},"error":"${text}"}`],
      [`/work-items/${item.id}/heartbeat`, `{"worker_id":"${text}","lease_fence":1}`],
      ['/work-items/claim', `{"worker_id":"${text}","queue_types":["python_tool"]}`],
      ['/work-items/claim', `{"worker_id":"w","queue_types":["${text}"]}`],
      ['/executions', `{"workflow_id":"${text}","input":{}}`],
      ['/tokens', `{"name":"${text}","role":"viewer"}`],
    ] as const) {
      await refused(t, svc, { title: `${path} ${text}`, path, raw });
    }
  }
  t.deepEqual(await svc.events(id), before);
});

check('400: a workflow that cannot be kept is not', async (t, svc) => {
  for (const [title, text] of Object.entries(REFUSED_VALUES)) {
    const raw = `{"ir":{"workflow_id":"w","nodes":{"a":{"kind":{"type":"pass","output":${text}}}}}}`;
    await refused(t, svc, { title, path: '/workflows', raw });
  }
  for (const id of ['x\\u0000', '\\ud800', 'y'.repeat(513)]) {
    const raw = `{"ir":{"workflow_id":"w","nodes":{"${id}":{}}}}`;
    await refused(t, svc, { title: 'node id', path: '/workflows', raw });
    const named = `{"ir":{"workflow_id":"${id}"}}`;
    await refused(t, svc, { title: 'workflow id', path: '/workflows', raw: named });
  }
  const list = await svc.get<{ workflows: unknown[] }>('/workflows');
  t.deepEqual(list.body.workflows, []);
});

check('400: a path or a query that holds U+0000, or is no UTF-8', async (t, _svc, { runtime }) => {
  for (const path of [
    '/executions/x%00y',
    '/workflows/x%00',
    '/workflows/w?version=%00',
    '/executions?workflow_id=a%00',
    '/executions/%ed%a0%80',
    '/executions/%c0%af',
    '/work-items/%/complete',
  ]) {
    const reply = await runtime.request<ErrorBody>({ path });
    t.is(reply.status, 400, path);
    t.regex(reply.body.error, /^bad request: /, path);
  }
});

check('400: names of inherited members are no workflows, nodes or roles', async (t, svc) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    t.is((await svc.post('/executions', { workflow_id: name, input: {} })).status, 404, name);
    t.is((await svc.get(`/workflows/${name}`)).status, 404, name);
    t.is((await svc.get(`/executions?status=${name}`)).status, 400, name);
    t.is((await svc.post('/tokens', { name: 'a', role: name })).status, 400, name);
    const edge = { workflow_id: 'w', nodes: { a: {} }, edges: [{ from: 'a', to: name }] };
    t.is((await svc.post('/workflows', { ir: edge })).status, 400, name);
    const kind = { workflow_id: 'w', nodes: { a: { kind: name } } };
    t.is((await svc.post('/workflows', { ir: kind })).status, 400, name);
    const policy = { workflow_id: 'w', nodes: { a: { ...call, retry_policy: name } } };
    t.is((await svc.post('/workflows', { ir: policy })).status, 400, name);
  }
});

check('201: a workflow of odd names works', async (t, svc) => {
  const odd = 'ä/b~c "d" $1 💥';
  const id = await svc.run({
    workflow_id: odd,
    version: odd,
    nodes: { [odd]: { ...call, output_key: odd }, last: {} },
    edges: [{ from: odd, to: 'last' }],
  });
  const item = await svc.work(odd, { ok: true });
  t.is(item.payload['node_id'], odd);
  const execution = await svc.until(id, 'completed');
  t.deepEqual([execution.workflow_id, execution.workflow_version], [odd, odd]);
  t.deepEqual(execution.state, { [odd]: { ok: true } });
  const read = await svc.get<{ workflow_id: string }>(`/workflows/${encodeURIComponent(odd)}`);
  t.is(read.body.workflow_id, odd);
});

check('400: an expression too long or too deep to be worked out', async (t, svc) => {
  for (const condition of [
    `state.a == "${'x'.repeat(200_000)}"`,
    `${'('.repeat(5_000)}1${')'.repeat(5_000)}`,
    `${'!'.repeat(5_000)}state.a`,
    Array.from({ length: 50_000 }, () => 'state.a').join(' || '),
  ]) {
    const edges = [{ from: 'a', to: 'b', condition }];
    const ir = { workflow_id: 'w', nodes: { a: {}, b: {} }, edges };
    const reply = await svc.post('/workflows', { ir });
    t.is(reply.status, 400, condition.slice(0, 20));
    t.true(reply.body.error.length < 2_000, 'the answer stays readable');
  }
});

async function refused(
  t: ExecutionContext,
  svc: TestTenant,
  request: { readonly title: string; readonly path: string; readonly raw: string },
): Promise<void> {
  const reply = await svc.send<ErrorBody>(request);
  t.is(reply.status, 400, `${request.title}: ${JSON.stringify(reply.body)}`);
  t.regex(reply.body.error, /^bad request: /, request.title);
}

function proof(item: WorkItem): string {
  return `"lease_fence":${item.lease_fence},"idempotency_key":"${item.idempotency_key}"`;
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
