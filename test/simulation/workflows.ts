import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { NodeRunner } from '../../src/shared/nodes/run.ts';
import { GO } from './function-programs.ts';
import type { RunnableKind } from '../../src/shared/nodes/runnable-kind.ts';

/** The workflows of histories: small ones, each for one kind of failure. */

export const TENANTS = ['amber', 'birch'] as const;
/**
 * This tenant may have only `EXECUTIONS_MAX` live executions, not counting children that borrow a
 * place.
 */
export const LIMITED_TENANT = 'birch' as TenantId;
export const EXECUTIONS_MAX = 1;

/** A node that the engine runs itself; the simulation performs its effect. */
export const effectKind: RunnableKind<JsonObject, NodeRunner> = {
  type: 'effect',
  aliases: [],
  leaf: true,
  toolLike: false,
  parse: (fields) => fields,
  tool: () => 'effect',
  runner: (given) => given,
  enter: (spec, { scope }) => ({
    do: 'work',
    queue: 'engine',
    input: scope.state,
    payload: spec,
  }),
};

const RETRIED = { max_attempts: 3, initial_delay: '50ms', max_delay: '200ms' };

const ONCE = { ...RETRIED, max_attempts: 1 };

const python = (name: string, more: JsonObject = {}): JsonObject => ({
  kind: { type: 'python_fn', module: 'tools', function: name },
  output_key: name,
  retry_policy: RETRIED,
  ...more,
});

/** Workers have so many calls of its tool at a time. */
const limited = ({ kind, ...node }: JsonObject, limit = 1): JsonObject => ({
  ...node,
  kind: { ...(kind as JsonObject), concurrency: { limit } },
});

/** A call of its tool goes to workers now and then. */
const paced = ({ kind, ...node }: JsonObject): JsonObject => ({
  ...node,
  kind: { ...(kind as JsonObject), rate: { limit: 5, per: '1s', burst: 2 } },
});

const java = (name: string, queue = 'default'): JsonObject => ({
  kind: { type: 'java_fn', class_name: 'Tools', method: name, queue },
  output_key: name,
  retry_policy: RETRIED,
});

const durable = (name: string, more: JsonObject = {}): JsonObject => ({
  kind: { type: 'function', name: `functions.${name}` },
  output_key: name,
  retry_policy: RETRIED,
  ...more,
});

const pinned = (name: string): JsonObject => ({
  type: 'function',
  name: `functions.${name}`,
  pinned: true,
});

const durablePinned = (name: string, more: JsonObject = {}): JsonObject =>
  durable(name, { kind: pinned(name), ...more });

const twoFunctions = (made: typeof durable) => ({
  start_node: 'split',
  nodes: {
    split: { kind: { type: 'parallel', branches: ['one', 'other'] } },
    one: made('one'),
    other: made('other', { node_timeout_secs: '1200ms' }),
    all: { kind: { type: 'join', wait_for: ['one', 'other'] } },
  },
});

/** Nobody answers for a child of a workflow that a budget holds. */
const UNANSWERED = { approval_timeout: '500ms' };

const effect = (name: string): JsonObject => ({
  kind: { type: 'effect' },
  output_key: name,
  // Processes die and freeze often, so an effect has many attempts.
  retry_policy: { ...RETRIED, max_attempts: 50 },
});

const edges = (...pairs: readonly string[]): JsonObject[] =>
  pairs.map((pair) => {
    const [from = '', to = ''] = pair.split(' ');
    return { from, to };
  });

/** Most executions of a history have one key, and the others have another one. */
const KEY = 'input.token.endsWith("0")';

const keyed = (whenFull: string, limit: number, undo: JsonObject = {}) => ({
  nodes: { open: { ...effect('open'), ...undo }, call: python('call'), last: effect('last') },
  edges: edges('open call', 'call last'),
  concurrency: { key: KEY, limit, when_full: whenFull },
});

const TOKEN = { expr: 'has(state.token) ? state.token : null' };

const UNDONE = { undo: effect('close') };

const brief = (rules: JsonObject) => ({
  nodes: { open: effect('open'), call: python('call') },
  edges: edges('open call'),
  ...rules,
});

const RATE = { key: KEY, limit: 5, per: '1s', burst: 1 };

/**
 * A filter of workers takes its task and `last`, or neither. So no claim passes over an item of their queue, and keys
 * take turns there exactly.
 */
const shared = (task: JsonObject) => ({
  nodes: {
    each: { kind: { type: 'map', items: '[1, 2, 3]', node: 'task' }, output_key: 'each' },
    task,
    last: python('last'),
  },
  edges: edges('each last'),
});

/** See `keys.ts`. */
export const FAIRNESS = {
  key: `input.token.endsWith("1") ? "gold" : input.token.endsWith("2") ? "slow" : "plain"`,
  weight: 'input.token.endsWith("1") ? 3.0 : input.token.endsWith("2") ? 0.5 : 1.0',
};

export const WORKFLOWS = {
  chain: {
    nodes: {
      a: effect('a'),
      b: effect('b'),
      done: { kind: { type: 'pass', output: { ok: true } } },
    },
    edges: edges('a b', 'b done'),
  },
  tools: {
    execution_labels: { line: 'tools', token: TOKEN },
    nodes: { fetch: limited(python('fetch')), store: java('store') },
    edges: edges('fetch store'),
  },
  fan_out: {
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['left', 'right', 'inner'] } },
      left: python('left'),
      right: java('right', 'big'),
      inner: effect('inner'),
      both: { kind: { type: 'join', wait_for: ['left', 'right', 'inner'] }, output_key: 'both' },
    },
  },
  approval: {
    start_node: 'draft',
    nodes: {
      draft: effect('draft'),
      review: {
        kind: { type: 'human_approval', description: 'good?', timeout_secs: '1s' },
        fallback_node: 'withdraw',
      },
      publish: python('publish'),
      withdraw: { kind: { type: 'pass', output: { withdrawn: true } } },
    },
    edges: edges('draft review', 'review publish'),
  },
  payment: {
    nodes: {
      order: effect('order'),
      paid: { kind: { type: 'wait', correlation_key: 'paid' }, output_key: 'paid' },
      ship: python('ship'),
    },
    edges: edges('order paid', 'paid ship'),
  },
  timers: {
    nodes: {
      rest: { kind: { type: 'wait', condition: 'timer', timeout_secs: '200ms' } },
      either: {
        kind: {
          type: 'wait',
          condition: 'either',
          correlation_key: 'nudge',
          timeout_secs: '300ms',
        },
        output_key: 'either',
      },
      last: effect('last'),
    },
    edges: edges('rest either', 'either last'),
  },
  parent: {
    execution_labels: { line: 'parent', token: TOKEN },
    nodes: {
      before: effect('before'),
      child: { kind: { type: 'subgraph', workflow_ref: 'tools' }, output_key: 'child' },
      after: effect('after'),
    },
    edges: edges('before child', 'child after'),
  },
  mapped: {
    nodes: {
      each: {
        kind: { type: 'map', items: '[1, 2]', workflow_ref: 'tools' },
        output_key: 'each',
      },
      after: effect('after'),
    },
    edges: edges('each after'),
  },
  nested: {
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['one', 'other'] } },
      one: { kind: { type: 'subgraph', workflow_ref: 'mapped' }, output_key: 'one' },
      other: { kind: { type: 'subgraph', workflow_ref: 'rounds' }, output_key: 'other' },
    },
  },
  /** Each step is a separate run. */
  rounds: {
    execution_labels: { token: TOKEN },
    start_node: 'count',
    nodes: {
      count: {
        kind: { type: 'pass', output: { n: { expr: '(has(state.n) ? state.n : 0) + 1' } } },
      },
      step: effect('step'),
    },
    edges: [
      { from: 'count', to: 'step' },
      { from: 'step', to: 'count', condition: 'state.n < 2' },
    ],
    continue_as_new: { when: 'state.n > 0' },
  },
  /** Lasts longer than the interval between two fires of a schedule. */
  lasting: {
    nodes: {
      rest: { kind: { type: 'wait', condition: 'timer', timeout_secs: '1800ms' } },
      last: effect('last'),
    },
    edges: edges('rest last'),
  },
  /** Each step has one attempt, so the first failure or lapse fails the execution. */
  fragile: {
    execution_labels: { token: TOKEN },
    start_node: 'first',
    nodes: {
      first: effect('first'),
      split: { kind: { type: 'parallel', branches: ['once', 'other', 'each'] } },
      once: python('once', { retry_policy: ONCE }),
      other: java('other'),
      both: { kind: { type: 'join', wait_for: ['once', 'other', 'each'] } },
      each: {
        kind: { type: 'map', items: '[1, 2, 3]', node: 'item', max_concurrency: 2 },
        output_key: 'each',
      },
      item: limited(python('item', { retry_policy: ONCE })),
      last: { ...effect('last'), retry_policy: ONCE },
    },
    edges: edges('first split', 'both last'),
  },
  /** It always fails, or is cancelled before, and undoes its steps. */
  trip: {
    nodes: {
      flight: { ...effect('flight'), undo: effect('no_flight') },
      rooms: {
        kind: { type: 'map', items: '[1, 2, 3]', node: 'room', max_concurrency: 2 },
        output_key: 'rooms',
      },
      room: paced(python('room', { retry_policy: ONCE, undo: python('no_room') })),
      car: python('car', { undo: java('no_car') }),
      refuse: { kind: { type: 'fail', message: 'no cars left' } },
    },
    edges: edges('flight rooms', 'rooms car', 'car refuse'),
  },
  /** It fails while a child runs that undoes its own steps, or because that child has failed. */
  tour: {
    nodes: {
      flight: { ...effect('flight'), undo: effect('no_flight') },
      split: { kind: { type: 'parallel', branches: ['stay', 'car'] } },
      stay: { kind: { type: 'subgraph', workflow_ref: 'trip' } },
      car: python('car', { undo: java('no_car') }),
      refuse: { kind: { type: 'fail', message: 'no cars left' } },
    },
    edges: edges('flight split', 'car refuse'),
  },
  /** Its map continues when children fail, until the execution fails or is cancelled beside it. */
  voyage: {
    nodes: {
      flight: { ...effect('flight'), undo: effect('no_flight') },
      split: { kind: { type: 'parallel', branches: ['legs', 'car'] } },
      legs: {
        kind: {
          type: 'map',
          items: '[1, 2, 3]',
          workflow_ref: 'trip',
          max_concurrency: 2,
          on_item_failure: 'collect',
        },
      },
      car: python('car', { undo: java('no_car') }),
      rest: { kind: { type: 'wait', condition: 'timer', timeout_secs: '250ms' } },
      refuse: { kind: { type: 'fail', message: 'no cars left' } },
    },
    edges: edges('flight split', 'car rest', 'rest refuse'),
  },
  /** Its map fails with a child, and the next run fails while other children still undo their steps. */
  relay: {
    start_node: 'flight',
    nodes: {
      flight: { ...effect('flight'), undo: effect('no_flight') },
      legs: { kind: { type: 'map', items: '[1, 2]', workflow_ref: 'trip' }, fallback_node: 'car' },
      car: python('car', { undo: java('no_car') }),
      refuse: { kind: { type: 'fail', message: 'no cars left' } },
    },
    edges: edges('flight legs', 'car refuse'),
    continue_as_new: { when: 'has(state.car)' },
  },
  queued: keyed('queue', 2),
  refusing: keyed('refuse', 2),
  /** The newest executions win, and the older ones undo their steps. */
  latest: keyed('cancel_oldest', 1, UNDONE),
  latest_two: keyed('cancel_oldest', 2, UNDONE),
  delayed: brief({ start_after: '80ms' }),
  deadlined: brief({ start_deadline: '150ms', concurrency: { key: KEY, limit: 1 } }),
  throttled: brief({ rate: RATE }),
  throttled_one: brief({ rate: RATE, concurrency: { key: KEY, limit: 1 } }),
  settling: brief({ debounce: { key: KEY, wait: '120ms', max_wait: '300ms' } }),
  gathering: brief({ batch: { key: KEY, max: 3, wait: '120ms' } }),
  gathering_one: brief({
    batch: { key: KEY, max: 2, wait: '200ms' },
    concurrency: { key: KEY, limit: 1 },
  }),
  fair: { ...shared(python('task')), fairness: FAIRNESS },
  fair_limited: { ...shared(limited(python('cast'), 2)), fairness: FAIRNESS },
  /** Its starts bring the fairness. */
  fair_starts: shared(python('task')),
  /** On the queue of those with keys. */
  unfair: shared(python('task')),
  fair_paced: { ...shared(paced(python('post'))), fairness: FAIRNESS },
  durable: {
    nodes: { run: durable('run'), last: { kind: { type: 'pass' } } },
    edges: edges('run last'),
  },
  /** If `beside` fails, or a function times out, both functions are rolled back. */
  sagas: {
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['one', 'other', 'beside'] } },
      one: durable('one', { node_timeout_secs: '1200ms', count_suspended: false }),
      other: durable('other', { node_timeout_secs: '900ms' }),
      beside: { ...effect('beside'), retry_policy: ONCE },
      all: { kind: { type: 'join', wait_for: ['one', 'other', 'beside'] } },
    },
  },
  /** A function that continues may do so in the next run. */
  loops: {
    nodes: { run: durable('run'), last: { kind: { type: 'pass' } } },
    edges: edges('run last'),
    continue_as_new: { when: 'true' },
  },
  /** Two visits of one function at a time. */
  twice: {
    start_node: 'count',
    nodes: {
      count: {
        kind: { type: 'pass', output: { n: { expr: '(has(state.n) ? state.n : 0) + 1' } } },
      },
      run: durable('run'),
    },
    edges: [
      { from: 'count', to: 'run', condition: 'state.n > 0' },
      { from: 'count', to: 'count', condition: 'state.n < 2' },
    ],
  },
  each_durable: {
    nodes: {
      each: { kind: { type: 'map', items: '[1, 2]', node: 'one' }, output_key: 'each' },
      one: durable('one'),
      last: { kind: { type: 'pass' } },
    },
    edges: edges('each last'),
  },
  /** Both stay with the build of the worker that opened their first turn. */
  pinned: twoFunctions(durablePinned),
  fair_durable: { ...twoFunctions(durable), fairness: FAIRNESS },
  fair_pinned: { ...twoFunctions(durablePinned), fairness: FAIRNESS },
  /** Its nodes use models, see `usage.ts`. */
  metered: {
    token_budget: 60,
    nodes: { spend: durable('spend'), ask: python('ask'), last: { kind: { type: 'pass' } } },
    edges: edges('spend ask', 'ask last'),
  },
  /** Persons may grant the budget again. */
  granted: {
    token_budget: 50,
    on_budget_exceeded: 'pause',
    timeouts: UNANSWERED,
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['spend', 'spend_more'] } },
      spend: durable('spend'),
      spend_more: durable('spend_more'),
      all: { kind: { type: 'join', wait_for: ['spend', 'spend_more'] } },
      ask: python('ask'),
    },
    edges: edges('all ask'),
  },
  /** Children use the budget, too. */
  shared: {
    token_budget: 100,
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['each', 'spend'] } },
      each: {
        kind: { type: 'map', items: '[1, 2]', workflow_ref: 'spender' },
        output_key: 'each',
      },
      spend: durable('spend'),
      all: { kind: { type: 'join', wait_for: ['each', 'spend'] } },
      ask: python('ask'),
    },
    edges: edges('all ask'),
  },
  spender: {
    token_budget: 30,
    on_budget_exceeded: 'warn',
    nodes: { ask: python('ask'), spend: durable('spend') },
    edges: edges('ask spend'),
  },
  /** Functions start it as a child. */
  leaf: { timeouts: UNANSWERED, nodes: { only: effect('only') } },
  patient: {
    nodes: {
      slow: python('slow', { node_timeout_secs: '400ms', retry_policy: { ...RETRIED } }),
      early: { kind: { type: 'wait', correlation_key: 'early' }, output_key: 'early' },
    },
    edges: edges('slow early'),
  },
} as const satisfies Record<string, JsonObject>;

export type WorkflowName = keyof typeof WORKFLOWS;

export const WITH_FUNCTIONS = [
  'durable',
  'sagas',
  'loops',
  'each_durable',
  'twice',
  'pinned',
] as const satisfies readonly WorkflowName[];
export const WITH_BUDGETS = [
  'metered',
  'granted',
  'shared',
] as const satisfies readonly WorkflowName[];
export const WITH_KEYS = [
  'queued',
  'refusing',
  'latest',
  'latest_two',
  'delayed',
  'deadlined',
  'throttled',
  'throttled_one',
  'settling',
  'gathering',
  'gathering_one',
] as const satisfies readonly WorkflowName[];
/** The workflows without a budget that have a twin with keys of fairness. */
export const FAIR_TWINS: Readonly<Partial<Record<WorkflowName, WorkflowName>>> = {
  durable: 'fair_durable',
  pinned: 'fair_pinned',
};
export const FAIR = [
  'fair',
  'fair_limited',
  'fair_starts',
  'unfair',
  'fair_paced',
] as const satisfies readonly WorkflowName[];
export const WITH_UNDOS = [
  'trip',
  'tour',
  'voyage',
  'relay',
] as const satisfies readonly WorkflowName[];
const NOT_STARTED = new Set<WorkflowName>([
  ...FAIR,
  'fair_durable',
  'fair_pinned',
  'lasting',
  'fragile',
  'leaf',
  'spender',
  ...WITH_UNDOS,
  ...WITH_FUNCTIONS,
  ...WITH_BUDGETS,
  ...WITH_KEYS,
]);
/** Workflows that clients start. The others are for schedules, retries, and functions. */
export const STARTED = (Object.keys(WORKFLOWS) as WorkflowName[]).filter(
  (name) => !NOT_STARTED.has(name),
);
/** The correlation keys of the events that workflows wait for. */
export const EVENTS: Readonly<Partial<Record<WorkflowName, string>>> = {
  payment: 'paid',
  timers: 'nudge',
  patient: 'early',
  // It arrives before the time of the start.
  delayed: GO,
  durable: GO,
  sagas: GO,
  loops: GO,
  each_durable: GO,
  twice: GO,
  pinned: GO,
  fair_durable: GO,
  fair_pinned: GO,
  metered: GO,
  granted: GO,
  shared: GO,
};
