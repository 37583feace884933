import { hostname } from 'node:os';
import fc from 'fast-check';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { Dice } from '../simulation/dice.ts';
import { eventually } from '../support/eventually.ts';
import type { Runtime } from '../support/runtime.ts';
import type { Execution } from '../support/wire.ts';
import { drawFrom, drawJson } from './draw-value.ts';
import { EXPRESSIONS, fillPort, PATTERNS, URLS } from './hostile-values.ts';
import type { Ledger } from './ledger.ts';
import type { FuzzOperation } from './operations.ts';
import type { FuzzRequest } from './requests.ts';
import type { Sender, Trap } from './sender.ts';
import type { World } from './world.ts';

const REST_MS_MAX = 60_000;

/**
 * Registers and starts malicious workflows: expensive or failing expressions, patterns that take
 * exponential time, and internal addresses. Every started execution must end, and the service must
 * answer other requests meanwhile.
 */
export async function runWorkflows(params: {
  readonly runtime: Runtime;
  readonly sender: Sender;
  readonly ledger: Ledger;
  readonly world: World;
  readonly trap: Trap;
  readonly operations: readonly FuzzOperation[];
  readonly dice: Dice;
  readonly count: number;
}): Promise<void> {
  const { runtime, sender, ledger, world, trap, dice, count } = params;
  const visits = trap.visits();
  const started: { readonly id: string; readonly ir: JsonObject }[] = [];
  for (let n = 0; n < count; n += 1) {
    const ir = drawWorkflow({ dice: dice.fork(String(n)), trapPort: trap.port, id: `evil-${n}` });
    const registered = await sender.send(post(params, 'POST /workflows', { ir }), null);
    if (registered !== 201) {
      ledger.countWorkflow('refused');
      continue;
    }
    const body = { workflow_id: `evil-${n}`, input: { text: KILLER, list: LIST, n: 1, a: {} } };
    // The first request checks the answer, the second starts the execution to watch.
    const status = await sender.send(post(params, 'POST /executions', body), null);
    const { body: answer } = await runtime.request<{ readonly execution_id?: string }>({
      path: '/executions',
      tenantId: world.tenantId,
      body,
    });
    if (answer.execution_id === undefined) ledger.countWorkflow(`not started, ${status}`);
    else started.push({ id: answer.execution_id, ir });
  }
  for (const { id, ir } of started) {
    try {
      ledger.countWorkflow(await untilResting({ runtime, tenantId: world.tenantId, id }));
    } catch (error) {
      ledger.find(`workflow rests ${started.length}`, {
        rule: 'a started execution ends',
        detail: String(error),
        operation: 'workflow',
        mutations: [],
        bytes: Buffer.from(JSON.stringify(ir)),
        answer: '',
      });
    }
  }
  if (trap.visits() > visits) {
    ledger.findInProcess(
      'no request reaches an internal server',
      'a workflow made the service ask the watched server',
    );
  }
}

/** Patterns that backtrack take very long to reject this text. */
const KILLER = `${'a'.repeat(40)}!`;
const LIST = Array.from({ length: 300 }, (_, n) => n);

function post(
  given: {
    readonly runtime: Runtime;
    readonly world: World;
    readonly operations: readonly FuzzOperation[];
  },
  name: string,
  value: JsonObject,
): FuzzRequest {
  const operation = given.operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`the document has no ${name}`);
  return {
    operation,
    base: {
      operation,
      method: operation.method,
      path: operation.path,
      query: [],
      headers: [
        ['Host', 'localhost'],
        ['Authorization', `Bearer ${given.runtime.apiKey}`],
        ['X-Tenant-Id', given.world.tenantId],
        ['Content-Type', 'application/json'],
      ],
      body: { is: 'json', value },
    },
    mutations: [],
    framing: 'length',
  };
}

function untilResting(given: {
  readonly runtime: Runtime;
  readonly tenantId: string;
  readonly id: string;
}): Promise<string> {
  const { runtime, tenantId, id } = given;
  return eventually(
    async () => {
      const { body } = await runtime.request<Execution>({ path: `/executions/${id}`, tenantId });
      if (body.status !== 'running') return body.status;
      throw new Error(`${id} is still running, waiting on ${JSON.stringify(body.waiting_on)}`);
    },
    { withinMs: REST_MS_MAX },
  );
}

function drawWorkflow(given: {
  readonly dice: Dice;
  readonly trapPort: number;
  readonly id: string;
}): JsonObject {
  const { dice, trapPort, id } = given;
  const node = { retry_policy: 'no_retry', node_timeout_secs: 5 };
  const expression = (): string =>
    dice.chance(0.5) ? dice.pick(EXPRESSIONS) : drawFrom(dice, EXPRESSION);
  const url = fillPort(dice.pick([...URLS, `http://${hostname()}:{port}/`]), trapPort);
  const tools = (reference: string, more: JsonObject = {}): JsonObject => ({
    tools: { t: { kind: 'http', reference, ...more } },
    nodes: { a: { ...node, kind: { type: 'tool', tool_ref: 't' }, input_mapping: { x: '$.a' } } },
  });
  const pattern = dice.pick(PATTERNS);
  const made = dice.pick<() => JsonObject>([
    () => ({
      nodes: { a: {}, b: {}, c: {} },
      edges: [
        { from: 'a', to: 'b', condition: expression() },
        { from: 'a', to: 'c', condition: expression() },
      ],
    }),
    () => ({
      nodes: {
        a: { kind: { type: 'pass', output: { x: { expr: expression() }, y: expression() } } },
      },
    }),
    () => ({
      nodes: { a: { kind: { type: 'map', items: expression(), node: { kind: 'pass' } } } },
    }),
    () => ({ nodes: { a: { input_mapping: { x: expression(), y: { expr: expression() } } } } }),
    () => ({
      nodes: {
        a: {
          kind: {
            type: 'eval',
            scorers: [{ type: 'assertion', check: expression() }],
            on_fail: 'halt',
            input_expr: expression(),
          },
        },
      },
    }),
    () => ({
      state_schema: { type: 'object', properties: { text: { type: 'string', pattern } } },
      nodes: {},
    }),
    () => ({
      state_schema: { patternProperties: { [pattern]: {} }, propertyNames: { pattern } },
      nodes: {},
    }),
    () => ({ state_schema: { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, nodes: {} }),
    () => ({ state_schema: drawJson(dice), nodes: {} }),
    () => ({
      state_schema: { properties: { list: { uniqueItems: true, contains: { pattern } } } },
      nodes: {},
    }),
    () => tools(url),
    () => tools(`http://{a}:${trapPort}/`, { input_schema: { properties: { a: { pattern } } } }),
    () => tools(`http://{{ "127.0.0.1" }}:${trapPort}/{{ ${expression()} }}`),
    () => ({
      mcp_servers: { s: { transport: dice.pick(['streamable_http', 'http_sse']), url } },
      nodes: {
        a: { ...node, kind: { type: 'mcp_tool', server: 's', tool: 'x' }, input_mapping: {} },
      },
    }),
    () => ({
      mcp_servers: { s: { transport: 'stdio', command: 'cat', args: ['/etc/passwd'] } },
      nodes: {
        a: { ...node, kind: { type: 'mcp_tool', server: 's', tool: 'x' }, input_mapping: {} },
      },
    }),
    () => ({
      remote_agents: { r: { url } },
      nodes: { a: { ...node, kind: { type: 'a2a_task', remote_agent: 'r', skill: 's' } } },
    }),
    () => ({
      models: { m: { provider: 'openai', model: 'x', base_url: url } },
      nodes: {
        a: { ...node, kind: { type: 'model', model_ref: 'm', prompt: `{{ ${expression()} }}` } },
      },
    }),
    () => ({
      nodes: { a: {}, b: {} },
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a', condition: 'execution.steps < 100000' },
      ],
      start_node: 'a',
      timeouts: { workflow_timeout: 10 },
    }),
  ])();
  return { workflow_id: id, ...made };
}

/** Expressions of the language, mostly with type errors. */
const { expression: EXPRESSION } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  return {
    expression: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom(
        'state.text',
        'state.list',
        'state.n',
        'state.a.b',
        'input',
        'output',
        'execution',
      ),
      fc.constantFrom('1', '-1', '1.5', 'true', 'null', '""', '[]', '{}', '9007199254740993', '1u'),
      fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
      fc
        .tuple(inner, fc.constantFrom('+', '-', '*', '/', '%', '==', '<', '&&', '||', 'in'), inner)
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      inner.map((one) => `!${one}`),
      fc.tuple(inner, inner).map(([of, at]) => `${of}[${at}]`),
      fc.tuple(inner, inner, inner).map(([one, two, three]) => `(${one} ? ${two} : ${three})`),
      fc
        .tuple(inner, fc.constantFrom('map', 'filter', 'all', 'exists', 'exists_one'), inner)
        .map(([of, macro, each]) => `${of}.${macro}(x, ${each})`),
      fc
        .tuple(
          fc.constantFrom(
            'size',
            'int',
            'double',
            'string',
            'has',
            'type',
            'timestamp',
            'duration',
          ),
          inner,
        )
        .map(([name, argument]) => `${name}(${argument})`),
      fc
        .tuple(inner, fc.constantFrom('startsWith', 'contains', 'split', 'replace', 'join'), inner)
        .map(([of, name, argument]) => `${of}.${name}(${argument})`),
    ),
  };
});
