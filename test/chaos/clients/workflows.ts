import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { TenantOf } from './stage.ts';

/*
 * The workflows that clients start. They are small, and each covers some kinds of nodes, so that
 * every kind of step is running when a fault strikes. The real workers do the work in Python, with
 * the handlers of `worker-handlers.ts`; so do the clients that implement the protocol. Work in Java
 * is for those clients alone. Each item has an outside effect, which returns a receipt.
 */

/** More attempts than the run can lose: the death of a process must not fail an execution. */
const PATIENT = { max_attempts: 100, initial_delay: '50ms', max_delay: '1s' };

/** The input that a step sends to the outside system, besides its key. */
const TOLD = { token: '$.token', outside: '$.outside' };

const python = (name: string, more: JsonObject = {}): JsonObject => ({
  kind: { type: 'python_fn', module: 'chaos', function: 'effect' },
  input_mapping: TOLD,
  output_key: name,
  retry_policy: PATIENT,
  ...more,
});

const java = (name: string, more: JsonObject = {}): JsonObject => ({
  ...python(name, more),
  kind: { type: 'java_fn', class_name: 'Chaos', method: 'effect' },
});

const tool = (name: string): JsonObject => ({
  kind: { type: 'tool', tool_ref: 'outside' },
  input_mapping: { token: '$.token' },
  output_key: name,
  retry_policy: PATIENT,
});

/** `a b` is an edge from a to b. */
const edges = (...pairs: readonly string[]): readonly JsonObject[] =>
  pairs.map((pair) => {
    const [from = '', to = ''] = pair.split(' ');
    return { from, to };
  });

const DEFINITIONS = {
  chain: {
    nodes: { s1: python('s1'), s2: java('s2'), s3: tool('s3'), s4: python('s4') },
    edges: edges('s1 s2', 's2 s3', 's3 s4'),
  },
  fan_out: {
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['left', 'right', 'called'] } },
      left: python('left'),
      right: java('right'),
      called: tool('called'),
      both: {
        kind: { type: 'join', wait_for: ['left', 'right', 'called'] },
        output_key: 'both',
      },
    },
  },
  approval: {
    start_node: 'draft',
    nodes: {
      draft: tool('draft'),
      review: {
        kind: { type: 'human_approval', description: 'May it?', timeout_secs: '30s' },
        fallback_node: 'withdraw',
      },
      publish: java('publish'),
      withdraw: { kind: { type: 'pass', output: { withdrawn: true } } },
    },
    edges: edges('draft review', 'review publish'),
  },
  payment: {
    nodes: {
      order: tool('order'),
      paid: { kind: { type: 'wait', correlation_key: 'paid' }, output_key: 'paid' },
      ship: python('ship'),
      posted: { kind: { type: 'wait', correlation_key: 'paid' }, output_key: 'posted' },
    },
    edges: edges('order paid', 'paid ship', 'ship posted'),
  },
  timers: {
    nodes: {
      rest: { kind: { type: 'wait', condition: 'timer', timeout_secs: '300ms' } },
      either: {
        kind: {
          type: 'wait',
          condition: 'either',
          correlation_key: 'nudge',
          timeout_secs: '1s',
        },
        output_key: 'either',
      },
      last: tool('last'),
    },
    edges: edges('rest either', 'either last'),
  },
  family: {
    nodes: {
      before: tool('before'),
      child: {
        kind: { type: 'subgraph', workflow_ref: 'fan_out' },
        input_mapping: { token: '$.token', outside: '$.outside', marker: '$.marker' },
        output_key: 'child',
      },
      after: java('after'),
    },
    edges: edges('before child', 'child after'),
  },
  mapped: {
    nodes: {
      each: {
        kind: {
          type: 'map',
          items: [1, 2, 3],
          node: { kind: { type: 'tool', tool_ref: 'outside' }, retry_policy: PATIENT },
        },
        input_mapping: { token: '$.token' },
        output_key: 'each',
      },
      children: {
        kind: { type: 'map', items: ['a', 'b'], workflow_ref: 'timers', max_concurrency: 1 },
        input_mapping: { token: '$.token', outside: '$.outside', marker: '$.marker' },
        output_key: 'children',
      },
    },
    edges: edges('each children'),
  },
  flaky: {
    nodes: {
      // The handlers fail at the first two attempts.
      hard: python('hard', {
        kind: { type: 'python_fn', module: 'chaos', function: 'flaky' },
        node_timeout_secs: '5s',
      }),
      easy: java('easy'),
    },
    edges: edges('hard easy'),
  },
  /** One lost attempt fails it, and a client retries it. */
  fragile: {
    nodes: {
      first: tool('first'),
      once: java('once', { retry_policy: { ...PATIENT, max_attempts: 1 } }),
      last: python('last'),
    },
    edges: edges('first once', 'once last'),
  },
} as const satisfies Record<string, JsonObject>;

type GraphName = keyof typeof DEFINITIONS;
/** A durable function of `function-worker.ts`, which registers it. */
export const FUNCTION_NAME = 'journey';
export type WorkflowName = GraphName | typeof FUNCTION_NAME;

const GRAPHS = Object.keys(DEFINITIONS) as readonly GraphName[];
/** For a tenant with a limit: children are exempt from it. */
const FAMILYLESS = GRAPHS.filter((name) => name !== 'family' && name !== 'mapped');

/** The workflows that a tenant may start. Workers of functions belong to the first tenant. */
export function workflowsOf({ tenantId, executionsMax }: TenantOf): readonly WorkflowName[] {
  if (executionsMax !== null) return FAMILYLESS;
  return tenantId === 'default' ? [...GRAPHS, FUNCTION_NAME] : GRAPHS;
}

/** The keys of the events that each workflow waits for, once per wait. */
export const EVENTS: Readonly<Partial<Record<WorkflowName, readonly string[]>>> = {
  payment: ['paid', 'paid'],
  timers: ['nudge'],
  [FUNCTION_NAME]: ['nudge'],
};

export function definitionsFor(outsideUrl: string): readonly JsonObject[] {
  return Object.entries(DEFINITIONS).map(([name, definition]) => ({
    workflow_id: name,
    tools: {
      outside: {
        kind: 'http',
        method: 'POST',
        reference: `${outsideUrl}/effects`,
        headers: { 'x-api-key': '${secret:SVC_SECRET_OUTSIDE}' },
        timeout_secs: 5,
      },
    },
    ...definition,
  }));
}
