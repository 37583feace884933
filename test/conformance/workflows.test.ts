import { onBothStores } from '../support/both-stores.ts';

/* Interface document: "Workflows", "Versioning"; a refusal names the place and the reason. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };

interface Registered {
  readonly workflow_id: string;
  readonly version: string;
  readonly revision: number;
  readonly ir_hash: string;
  readonly warnings: readonly Warning[];
}

interface Warning {
  readonly code: string;
  readonly pointer: string;
  readonly message: string;
}

interface Refusal {
  readonly error: string;
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];
  readonly warnings?: readonly Warning[];
}

check('201: a workflow is registered, with what the contract leaves out', async (t, svc) => {
  const ir = { workflow_id: 'orders', version: '2', state_schema: {}, nodes: {}, edges: [] };
  const reply = await svc.post<Registered>('/workflows', { ir });
  t.is(reply.status, 201);
  t.like(reply.body, { workflow_id: 'orders', version: '2', revision: 1, warnings: [] });
  t.regex(reply.body.ir_hash, /^[0-9a-f]{64}$/);
  return reply.body;
});

check('201: no version is version 1.0.0, and null is nothing', async (t, svc) => {
  for (const ir of [{ workflow_id: 'w' }, { workflow_id: 'w', version: null, nodes: null }]) {
    const reply = await svc.post<Registered>('/workflows', { ir });
    t.is(reply.status, 201);
    t.like(reply.body, { version: '1.0.0', revision: 1 });
  }
});

check('201: any version label is taken', async (t, svc) => {
  for (const version of ['1', 'v2', '0.1.0+4c85561a4b94', 'Freitag, früh']) {
    const reply = await svc.post<Registered>('/workflows', { ir: { workflow_id: 'w', version } });
    t.is(reply.status, 201);
    t.is(reply.body.version, version);
  }
});

check('201: the same workflow again is the same revision', async (t, svc) => {
  const ir = { workflow_id: 'w', nodes: { a: call }, edges: [] };
  const first = await svc.post<Registered>('/workflows', { ir });
  const again = await svc.post<Registered>('/workflows', {
    ir: { edges: [], nodes: { a: call }, workflow_id: 'w' },
  });
  const spelled = await svc.post<Registered>('/workflows', {
    ir: { ...ir, nodes: { a: { kind: { type: 'python_tool', function: 'f', module: 'm' } } } },
  });
  t.is(again.status, 201);
  t.deepEqual(again.body, first.body);
  t.deepEqual(spelled.body, first.body);
});

check('201: twenty callers registering the same make one revision', async (t, svc) => {
  const ir = { workflow_id: 'w', nodes: { a: call } };
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => svc.post<Registered>('/workflows', { ir })),
  );
  t.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
  t.deepEqual(new Set(replies.map(({ body }) => body.revision)), new Set([1]));
});

check('201: another workflow under the same version is a new revision', async (t, svc) => {
  const register = async (nodes: object) => {
    const reply = await svc.post<Registered>('/workflows', { ir: { workflow_id: 'w', nodes } });
    return reply.body.revision;
  };
  t.is(await register({ old: call }), 1);
  const before = await svc.start('w');
  t.is(await register({ new: call }), 2);
  const after = await svc.start('w');
  t.is((await svc.work('old')).execution_id, before);
  t.is((await svc.work('new')).execution_id, after);
  await svc.until(before, 'completed');
  await svc.until(after, 'completed');
});

check('201: executions start on the version registered last', async (t, svc) => {
  const register = (version: string, node: string) =>
    svc.register({ version, nodes: { [node]: call } });
  await register('2.0.0', 'two');
  await register('1.0.0', 'one');
  const latest = await svc.start('w');
  t.is((await svc.read(latest)).workflow_version, '1.0.0');
  const named = await svc.start('w', {}, { workflow_version: '2.0.0' });
  t.is((await svc.read(named)).workflow_version, '2.0.0');
  const nulled = await svc.start('w', {}, { workflow_version: null });
  t.is((await svc.read(nulled)).workflow_version, '1.0.0');
  await register('2.0.0', 'again');
  t.is((await svc.read(await svc.start('w'))).workflow_version, '2.0.0');
});

check('200: workflows are listed and read', async (t, svc) => {
  await svc.register({ version: '1', nodes: { a: call }, note: 'kept' });
  await svc.register({ version: '2', nodes: { b: call } });
  const list = await svc.get<{ workflows: Registered[] }>('/workflows');
  t.is(list.status, 200);
  t.deepEqual(
    list.body.workflows.map(({ workflow_id, version }) => [workflow_id, version]),
    [
      ['w', '2'],
      ['w', '1'],
    ],
  );
  const latest = await svc.get<Registered>('/workflows/w');
  t.like(latest.body, { workflow_id: 'w', version: '2', revision: 1 });
  const first = await svc.get<Registered & { ir: object }>('/workflows/w?version=1');
  t.like(first.body.ir, { workflow_id: 'w', version: '1', note: 'kept' });
  t.is((await svc.get('/workflows/w?version=3')).status, 404);
  const unknown = await svc.get('/workflows/nobody');
  t.is(unknown.status, 404);
  t.deepEqual(unknown.body, { error: 'not found: workflow nobody' });
});

check('400: a missing workflow_id is named', async (t, svc) => {
  for (const ir of [{}, { workflow_id: '' }, { workflow_id: null }, { nodes: {} }]) {
    const reply = await svc.post<Refusal>('/workflows', { ir });
    t.is(reply.status, 400);
    t.regex(reply.body.error, /^bad request: missing ir\.workflow_id/);
  }
  for (const body of [{}, { ir: null }, { ir: [] }, { ir: 'text' }]) {
    t.is((await svc.post('/workflows', body)).status, 400);
  }
});

const REFUSED: readonly [title: string, ir: object, pointer: string, message: RegExp][] = [
  ['an unknown kind', { nodes: { a: { kind: 'nap' } } }, '/nodes/a/kind', /unknown kind "nap"/],
  ['a missing field', { nodes: { a: { kind: 'python_fn' } } }, '/nodes/a/module', /missing module/],
  ['an edge to nowhere', { nodes: { a: {} }, edges: [{ from: 'a', to: 'b' }] }, '/edges/0/to', /b/],
  [
    'an edge from nowhere',
    { nodes: { a: {} }, edges: [{ from: 'x', to: 'a' }] },
    '/edges/0/from',
    /x/,
  ],
  [
    'an expression',
    { nodes: { a: {}, b: {} }, edges: [{ from: 'a', to: 'b', condition: '1 +' }] },
    '/edges/0/condition',
    /./,
  ],
  ['no start', { nodes: { a: {}, b: {} } }, '/start_node', /missing start_node/],
  ['an unknown start', { nodes: { a: {} }, start_node: 'z' }, '/start_node', /z/],
  ['a node named end', { nodes: { end: {} } }, '/nodes/end', /end/],
  [
    'an unknown retry policy',
    { nodes: { a: { ...call, retry_policy: 'x' } } },
    '/nodes/a/retry_policy',
    /unknown retry policy/,
  ],
  [
    'a retry policy',
    { retry_policies: { p: { max_attempts: 0 } } },
    '/retry_policies/p/max_attempts',
    /./,
  ],
  ['a timeout', { timeouts: { node_timeout: -1 } }, '/timeouts/node_timeout', /./],
  ['an id with a slash', { nodes: { 'a/b~c': { kind: 'nap' } } }, '/nodes/a~1b~0c/kind', /nap/],
  ['edges of a wrong type', { edges: {} }, '/edges', /list/],
  ['nodes of a wrong type', { nodes: [] }, '/nodes', /object/],
];

check(
  '400: a workflow that cannot run is refused, with the place and the reason',
  async (t, svc) => {
    const answers = [];
    for (const [title, ir, pointer, message] of REFUSED) {
      const reply = await svc.post<Refusal>('/workflows', { ir: { workflow_id: 'w', ...ir } });
      t.is(reply.status, 400, title);
      t.regex(reply.body.error, /^bad request: /, title);
      const problem = reply.body.problems.find((found) => found.pointer.startsWith(pointer));
      t.regex(problem?.message ?? JSON.stringify(reply.body.problems), message, title);
      answers.push(reply.body);
    }
    t.is((await svc.get('/workflows/w')).status, 404);
    return answers;
  },
);

check('400: an unknown kind is named, and nothing is stored', async (t, svc) => {
  const reply = await svc.post<Refusal>('/workflows', {
    ir: { workflow_id: 'w', nodes: { a: { kind: { type: 'someday' } } } },
  });
  t.is(reply.status, 400);
  t.is(reply.body.error, 'bad request: unknown kind "someday" (at /nodes/a/kind/type)');
  t.is((await svc.get('/workflows/w')).status, 404);
});

check('400: every problem is reported, not only the first', async (t, svc) => {
  const reply = await svc.post<Refusal>('/workflows', {
    ir: { nodes: { a: { kind: 'nap' }, b: { kind: 'python_fn' } }, edges: [1] },
  });
  const pointers = reply.body.problems.map(({ pointer }) => pointer);
  for (const pointer of ['/workflow_id', '/nodes/b/module', '/nodes/b/function', '/edges/0']) {
    t.true(pointers.includes(pointer), `${pointer} in ${pointers.join()}`);
  }
});

check('201: nodes that never run get a warning', async (t, svc) => {
  const reply = await svc.post<Registered>('/workflows', {
    ir: { workflow_id: 'w', start_node: 'a', nodes: { a: {}, b: {} } },
  });
  t.is(reply.status, 201);
  t.deepEqual(
    reply.body.warnings.map(({ pointer }) => pointer),
    ['/nodes/b'],
  );
});

const MISSPELT = {
  workflow_id: 'limit',
  state_schema: { type: 'object', properties: { total: { type: 'number' } } },
  nodes: {
    start: {
      kind: {
        type: 'condition',
        branches: [
          { conditon: 'state.total > 100', target: 'ask' },
          { condition: 'state.totl > 9', target: 'end' },
        ],
      },
    },
    ask: {},
  },
};
const SLIPS = [
  {
    code: 'unknown_field',
    pointer: '/nodes/start/kind/branches/0/conditon',
    message: 'unknown field "conditon" is ignored: did you mean "condition"?',
  },
  {
    code: 'unknown_state_path',
    pointer: '/nodes/start/kind/branches/1/condition',
    message: 'state.totl is not in the state_schema: did you mean state.total?',
  },
];

check('201: slips of names are warned of with what was probably meant', async (t, svc) => {
  const reply = await svc.post<Registered>('/workflows', { ir: MISSPELT });
  t.is(reply.status, 201);
  t.deepEqual(reply.body.warnings, SLIPS);
});

check('400: with strict=true warnings refuse, and nothing is stored', async (t, svc) => {
  const reply = await svc.post<Refusal>('/workflows?strict=true', { ir: MISSPELT });
  t.is(reply.status, 400);
  t.deepEqual(reply.body.problems, SLIPS);
  t.regex(reply.body.error, /did you mean "condition"\?/);
  t.is((await svc.get('/workflows/limit')).status, 404);
  t.is((await svc.post('/workflows?strict=yes', { ir: MISSPELT })).status, 400);
  t.is((await svc.post('/workflows?strict=true', { ir: { workflow_id: 'w' } })).status, 201);
});

check('400: a missing member may be a misspelt one', async (t, svc) => {
  const nodes = { a: { kind: 'python_fn', modul: 'm', function: 'f' } };
  const reply = await svc.post<Refusal>('/workflows', { ir: { workflow_id: 'w', nodes } });
  t.is(reply.status, 400);
  t.deepEqual(reply.body.problems, [{ pointer: '/nodes/a/module', message: 'missing module' }]);
  t.deepEqual(
    reply.body.warnings?.map(({ message }) => message),
    ['unknown field "modul" is ignored: did you mean "module"?'],
  );
});

check('200: the JSON Schema of definitions is served for editors', async (t, svc) => {
  const reply = await svc.get<{ $schema: string; $defs: Record<string, unknown> }>(
    '/workflow.schema.json',
  );
  t.is(reply.status, 200);
  t.is(reply.body.$schema, 'https://json-schema.org/draft/2020-12/schema');
  t.true('PythonFnNode' in reply.body.$defs);
});

check('404: workflows of one tenant are unknown to another', async (t, svc, { runtime }) => {
  await svc.register({ nodes: {} });
  const other = await runtime.newTenant();
  t.is((await other.get('/workflows/w')).status, 404);
  t.is((await other.post('/executions', { workflow_id: 'w', input: {} })).status, 404);
  const list = await other.get<{ workflows: unknown[] }>('/workflows');
  t.deepEqual(list.body.workflows, []);
});
