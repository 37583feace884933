import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { inspectWorkflow } from '../../../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../../../src/shared/nodes/index.ts';

/** Warnings of names and paths as `code pointer message`. */
function lint(ir: JsonObject): readonly string[] {
  const read = inspectWorkflow({ ir: { workflow_id: 'w', ...ir }, kinds: builtInKinds });
  return read.warnings
    .filter(({ code }) => code.startsWith('unknown_'))
    .map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
}

const unknown = (pointer: string, name: string, meant?: string) =>
  `unknown_field ${pointer} unknown field "${name}" is ignored` +
  (meant === undefined ? '' : `: did you mean "${meant}"?`);

test('an order of 5 000 no longer passes a limit of 100 in silence', (t) => {
  const warnings = lint({
    state_schema: { type: 'object', properties: { total: { type: 'number' } } },
    start_node: 'check',
    nodes: {
      check: {
        kind: 'condition',
        branches: [{ conditon: 'state.total > 100', target: 'ask' }, { target: 'ship' }],
        inputmapping: { total: '$.total' },
        retry_polcy: 'no_retry',
      },
      ask: { kind: { type: 'pass', output: { large: { expr: 'state.totl > 100' } } } },
      ship: {},
    },
  });
  t.deepEqual(warnings, [
    unknown('/nodes/check/branches/0/conditon', 'conditon', 'condition'),
    unknown('/nodes/check/inputmapping', 'inputmapping', 'input_mapping'),
    unknown('/nodes/check/retry_polcy', 'retry_polcy', 'retry_policy'),
    'unknown_state_path /nodes/ask/kind/output/large/expr state.totl is not in the state_schema: did you mean state.total?',
  ]);
});

test('the warning about a field in the wrong place says where it belongs', (t) => {
  const ignored = (pointer: string, name: string, rest: string) =>
    `unknown_field ${pointer} unknown field "${name}" is ignored${rest}`;
  t.deepEqual(
    lint({
      retry_policy: 'no_retry',
      retry: { max_attempts: 3 },
      wholly_unlike: 1,
      nodes: {
        a: {
          kind: { type: 'python_fn', module: 'm', function: 'f', data_policy: {} },
          cost_budget_usd: 1,
          retry: { max_attempts: 3 },
          name: 'A',
        },
      },
      edges: [{ from: 'a', to: 'end', retry_policy: 'no_retry' }],
    }),
    [
      ignored('/retry_policy', 'retry_policy', ' here: move it to /nodes/<id>/retry_policy'),
      ignored('/retry', 'retry', ' here: did you mean /nodes/<id>/retry_policy?'),
      ignored('/wholly_unlike', 'wholly_unlike', ''),
      ignored('/nodes/a/cost_budget_usd', 'cost_budget_usd', ' here: move it to /cost_budget_usd'),
      ignored('/nodes/a/retry', 'retry', ': did you mean "retry_policy"?'),
      ignored('/nodes/a/name', 'name', ''),
      ignored('/nodes/a/kind/data_policy', 'data_policy', ' here: move it to /nodes/a/data_policy'),
      ignored('/edges/0/retry_policy', 'retry_policy', ''),
    ],
  );
});

test('a field of the workflow that means another thing in a node has no home there', (t) => {
  const kinds = {
    model: { type: 'model', models: 'fast', prompts: 'Say hello' },
    mcp: { type: 'mcp_tool', server: 's', tools: ['t'], mcp_servers: {} },
    policy: { type: 'pass', policies: {} },
    check: { type: 'policy', rules: [{ condition: 'state.x' }], policy: 'spending' },
    map: { type: 'map', items: '$.xs', concurrency: 5, rate: 1, batch: {}, token_budget: 9 },
  };
  const nodes = Object.fromEntries(Object.entries(kinds).map(([id, kind]) => [id, { kind }]));
  t.deepEqual(lint({ nodes }), [
    unknown('/nodes/model/kind/models', 'models', 'model'),
    unknown('/nodes/model/kind/prompts', 'prompts', 'prompt'),
    unknown('/nodes/mcp/kind/tools', 'tools', 'tool'),
    `${unknown('/nodes/mcp/kind/mcp_servers', 'mcp_servers')} here: move it to /mcp_servers`,
    unknown('/nodes/policy/kind/policies', 'policies'),
    unknown('/nodes/check/kind/policy', 'policy', 'policy_ref'),
    unknown('/nodes/map/kind/concurrency', 'concurrency', 'max_concurrency'),
    unknown('/nodes/map/kind/rate', 'rate'),
    unknown('/nodes/map/kind/batch', 'batch'),
    `${unknown('/nodes/map/kind/token_budget', 'token_budget')} here: move it to /token_budget`,
  ]);
});

test('names are checked wherever a definition has names of its own', (t) => {
  const warnings = lint({
    state_schemas: {},
    nodes: {
      a: { kind: { type: 'python_fn', module: 'm', function: 'f', outputschema: {} } },
      b: { type: 'wait', timeout_secs: 1, corelation_key: 'k' },
      m: {
        kind: { type: 'map', items: '$.xs', node: { kind: { type: 'pass', outputs: '$.a' } } },
      },
      e: {
        kind: {
          type: 'eval',
          scorers: [{ type: 'assertion', checks: [{ check: 'output.a', nmae: 'x' }], wieght: 2 }],
          on_fail: { branch: { target: 'b', tarjet: 'c' } },
        },
      },
    },
    edges: [
      { from: 'a', to: 'b', conditon: 'state.x' },
      { from: 'b', to: 'm' },
      { from: 'm', to: 'e' },
    ],
    retry_policies: { often: { max_atempts: 9 } },
    timeouts: { node_timout: 3 },
    tools: { t: { kind: 'http', url: 'https://a.example', heders: {} } },
    models: { m: { provider: 'openai', model: 'x', max_token: 3 } },
    mcp_servers: { s: { url: 'https://a.example', auth: { type: 'none', tokenenv: 'A' } } },
    remote_agents: { r: { url: 'https://a.example', agent_card: '/card' } },
    policies: { p: { rules: [{ condition: 'state.x', mesage: 'no' }] } },
    expose: { a2a: true, mcp: true },
    continue_as_new: { after_events: 500, wen: 'state.x' },
  });
  t.deepEqual(
    warnings.map((line) => line.split(' ')[1]),
    [
      '/state_schemas',
      '/nodes/a/kind/outputschema',
      '/nodes/b/corelation_key',
      '/nodes/m/kind/node/kind/outputs',
      '/nodes/e/kind/scorers/0/checks/0/nmae',
      '/nodes/e/kind/scorers/0/wieght',
      '/nodes/e/kind/on_fail/branch/tarjet',
      '/edges/0/conditon',
      '/retry_policies/often/max_atempts',
      '/timeouts/node_timout',
      '/tools/t/heders',
      '/models/m/max_token',
      '/mcp_servers/s/auth/tokenenv',
      '/remote_agents/r/agent_card',
      '/policies/p/rules/0/mesage',
      '/expose/mcp',
      '/continue_as_new/wen',
    ],
  );
});

test('a policy inside a kind is not in force, and gets a warning', (t) => {
  t.deepEqual(
    lint({ nodes: { a: { kind: { type: 'pass', policy: { blocked_tools: ['*'] } } } } }),
    [`${unknown('/nodes/a/kind/policy', 'policy')} here: move it to /nodes/a/policy`],
  );
});

test('a field of another kind is unknown', (t) => {
  t.deepEqual(lint({ nodes: { a: { kind: { type: 'pass', module: 'm' } } } }), [
    unknown('/nodes/a/kind/module', 'module'),
  ]);
});

test('every way of writing a node is known, and so is what is for readers', (t) => {
  const pass = { type: 'pass', output: {}, output_key: 'k', timeout_secs: 3 };
  t.deepEqual(
    lint({
      $schema: 'https://example.com/workflow.schema.json',
      description: 'd',
      labels: { team: 'a' },
      nodes: {
        a: { kind: pass, description: 'd', labels: {} },
        b: { ...pass, description: 'd' },
        c: { ...pass, kind: 'pass', type: null },
        d: { kind: { type: 'pass' }, output: {} },
        e: {},
      },
      edges: ['b', 'c', 'd', 'e'].map((to) => ({ from: 'a', to, labels: {} })),
    }),
    [],
  );
});

test('a definition that cannot run still gets its warnings', (t) => {
  const read = inspectWorkflow({
    ir: { workflow_id: 'w', nodes: { a: { kind: 'python_fn', modul: 'm', function: 'f' } } },
    kinds: builtInKinds,
  });
  t.false(read.ok);
  t.deepEqual(
    read.warnings.map(({ message }) => message),
    ['unknown field "modul" is ignored: did you mean "module"?'],
  );
});

test('a hundred slips of a definition full of them are listed', (t) => {
  const slips = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`conditon${n}`, 1]));
  const warnings = lint(slips);
  t.is(warnings.length, 100);
});

/* Paths. */

const ORDER = {
  type: 'object',
  properties: {
    total: { type: 'number' },
    customer: { $ref: '#/$defs/Customer' },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { sku: { type: 'string' }, price: {} } },
    },
    pair: { prefixItems: [{ properties: { left: {} } }, { properties: { right: {} } }] },
    prices: { type: 'object', additionalProperties: { properties: { amount: {} } } },
    free: { type: 'object' },
    paid: { oneOf: [{ properties: { card: {} } }, { properties: { iban: {} } }] },
  },
  $defs: {
    Customer: {
      type: 'object',
      properties: { email: { type: 'string' }, parent: { $ref: '#/$defs/Customer' } },
    },
  },
};

/** Paths that cause a warning when a node reads them. */
function warned(expression: string, more: JsonObject = {}): readonly string[] {
  return lint({
    state_schema: ORDER,
    nodes: { a: { kind: { type: 'pass', output: { v: { expr: expression } } } } },
    ...more,
  }).map((line) => line.split(' is not in ')[0]?.split(' ').at(-1) ?? '');
}

for (const known of [
  'state.total > 100',
  'state.customer.email',
  'state.customer.parent.parent.email',
  'state.lines[0].sku == "a"',
  'state.lines.exists(line, line.price > 3)',
  'state.lines.map(line, line.sku)[0]',
  'state.pair[1].right',
  'state.prices["EUR"].amount',
  'state.prices.EUR.amount',
  'state.free.anything.at.all',
  'state.paid.card || state.paid.iban',
  'state[input.total].x',
  'has(state.coupon) && state.coupon.code == "a"',
  'output.anything',
  'execution.id',
  'state.v.x.y',
  '{"a": state.total}.a',
  'state.customer.email.startsWith("a")',
]) {
  test(`known: ${known}`, (t) => t.deepEqual(warned(known), []));
}

for (const [expression, path] of [
  ['state.totl > 100', 'state.totl'],
  ['state.notes', 'state.notes'],
  ['state.customer.emial', 'state.customer.emial'],
  ['state.customer.parent.phone', 'state.customer.parent.phone'],
  ['state.lines[0].skuu', 'state.lines[0].skuu'],
  ['state.lines.exists(line, line.cost > 3)', 'state.lines[].cost'],
  ['state.lines.filter(line, line.price > 1).exists(line, line.sku != "")', ''],
  ['state.pair[0].up', 'state.pair[0].up'],
  ['state.prices.EUR.amuont', 'state.prices.EUR.amuont'],
  ['state.paid.cash', 'state.paid.cash'],
  ['state.total.amount', 'state.total.amount'],
  ['has(state.totl)', 'state.totl'],
  ['state["totl"]', 'state.totl'],
  ['input.totl', 'input.totl'],
  ['size(state.lines) > 0 ? state.totl : 0', 'state.totl'],
] as const) {
  test(`unknown: ${expression}`, (t) => {
    t.deepEqual(warned(expression), path === '' ? [] : [path]);
  });
}

test('a worker may write any key, so only likely slips are reported', (t) => {
  const worker = { kind: 'python_fn', module: 'm', function: 'f' };
  const more = { nodes: { w: worker, a: { kind: { type: 'pass', output: '$.answer' } } } };
  t.deepEqual(lint({ state_schema: ORDER, ...more, start_node: 'w' }), []);
  const slip = { nodes: { w: worker, a: { kind: { type: 'pass', output: '$.totl' } } } };
  t.is(lint({ state_schema: ORDER, ...slip, start_node: 'w' }).length, 1);
});

test('a schema that says there may be more is believed', (t) => {
  const nodes = { a: { kind: { type: 'pass', output: ['$.answer', '$.totl'] } } };
  const state_schema = { ...ORDER, additionalProperties: true };
  t.deepEqual(
    lint({ state_schema, nodes }).map((line) => line.split(' ')[1]),
    ['/nodes/a/kind/output/1'],
  );
});

test('keys that nodes write and names that a map gives its items are known', (t) => {
  t.deepEqual(
    lint({
      state_schema: ORDER,
      models: { m: { provider: 'openai', model: 'x' } },
      start_node: 'a',
      nodes: {
        a: { kind: { type: 'pass', output: { priced: true } } },
        b: { kind: { type: 'model', model_ref: 'm', prompt: 'p' }, output_key: 'answer' },
        c: { kind: { type: 'agent_discovery', skill: 's', output_binding: 'agents' } },
        d: {
          kind: {
            type: 'map',
            items: '$.lines',
            item_key: 'line',
            node: { kind: { type: 'pass', output: { expr: 'input.line.sku + input.total' } } },
          },
          output_key: 'skus',
        },
        e: {
          kind: {
            type: 'pass',
            output: ['$.priced', '$.answer.x', '$.agents[0]', '$.skus', '$.last_model_output.y'],
          },
        },
      },
      edges: [
        { from: 'a', to: 'b', condition: 'input.total > 3' },
        { from: 'b', to: 'c' },
        { from: 'c', to: 'd' },
        { from: 'd', to: 'e' },
      ],
    }),
    [],
  );
});

test('paths are checked wherever a definition reads the state', (t) => {
  const warnings = lint({
    state_schema: ORDER,
    tools: {
      t: {
        kind: 'http',
        method: 'POST',
        url: 'https://a.example/{id}/{state.totl}',
        headers: { a: '{{ state.totl }}', b: '$.totl' },
        body: { x: { y: 'of {{ state.totl }}' } },
        response_mapping: { z: '$state.totl' },
      },
    },
    models: { m: { provider: 'openai', model: 'x' } },
    prompts: { ask: 'Of {{ state.totl }}?' },
    policies: { p: { rules: [{ condition: 'state.totl < 3' }] } },
    start_node: 'a',
    nodes: {
      a: { kind: { type: 'wait', correlation_key: '$.totl' } },
      b: { kind: { type: 'tool', tool_ref: 't' }, input_mapping: { id: 'state.totl' } },
      c: { kind: { type: 'model', model_ref: 'm', prompt_ref: '$.totl', system_prompt: '$.totl' } },
      d: { kind: { type: 'map', items: 'state.totl', node: { kind: 'pass' } } },
      e: { kind: { type: 'memory_retrieval', query_expr: 'state.totl' } },
      f: { kind: { type: 'subgraph', workflow_ref: 'x', output_mapping: { y: '$.totl' } } },
      g: { kind: { type: 'eval', scorers: [{ type: 'assertion', checks: ['state.totl'] }] } },
      h: {
        kind: { type: 'model', model_ref: 'm', prompt: '{{input.id}} {{state.totl}}' },
        input_mapping: { id: '$.total' },
      },
    },
    edges: [
      ...['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((to) => ({ from: 'a', to })),
      { from: 'b', to: 'end', condition: 'state.totl' },
    ],
    continue_as_new: { when: 'state.totl > 3' },
  });
  t.deepEqual(
    warnings.map((line) => line.split(' ')[1]),
    [
      '/tools/t/url',
      '/tools/t/headers/a',
      '/tools/t/headers/b',
      '/tools/t/body/x/y',
      '/tools/t/response_mapping/z',
      '/prompts/ask',
      '/policies/p/rules/0/condition',
      '/nodes/a/kind/correlation_key',
      '/nodes/b/input_mapping/id',
      '/nodes/c/kind/prompt_ref',
      '/nodes/c/kind/system_prompt',
      '/nodes/d/kind/items',
      '/nodes/e/kind/query_expr',
      '/nodes/f/kind/output_mapping/y',
      '/nodes/g/kind/scorers/0/checks/0',
      '/nodes/h/kind/prompt',
      '/edges/7/condition',
      '/continue_as_new/when',
    ],
  );
});

for (const [title, schema] of Object.entries({
  'a reference outside': { $ref: 'https://example.com/order.json' },
  'a reference to nothing': { $ref: '#/$defs/None' },
  'a reference to itself': { $ref: '#', properties: { a: {} } },
  'names by pattern': { patternProperties: { '^(a+)+$': {} } },
  'no properties': { type: 'object', required: ['total'] },
  'hostile tokens': { $ref: '#/%zz/__proto__/constructor' },
})) {
  test(`a schema that does not say what there is warns of nothing: ${title}`, (t) => {
    const told = warned('state.some.thing', { state_schema: schema });
    t.deepEqual(told, title === 'a reference to itself' ? ['state.some'] : []);
  });
}

test('a schema that fans out too far warns of nothing', (t) => {
  const wide = { allOf: Array.from({ length: 50_000 }, (_, n) => ({ properties: { [n]: {} } })) };
  const output = Array.from({ length: 1_000 }, (_, n) => `$.x${n}`);
  const nodes = { a: { kind: { type: 'pass', output } } };
  t.deepEqual(lint({ state_schema: wide, nodes }), []);
});
