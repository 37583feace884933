import { refuseUnknown, type Known } from '../known-options.ts';
import type { EdgeOptions, EdgeValues, Failure, Workflow, WorkflowBuilder } from './builder.ts';
import { createRef } from './expression.ts';
import type { WorkflowIr } from './ir-types.ts';
import { dropAbsent, type JsonObject } from './json.ts';
import { writeOptions, type WorkflowOptions } from './options.ts';
import type { Tool } from './parts/tools.ts';
import type { AnyShape, Names, Shape } from './shape.ts';
import { isStep, type Step } from './steps/step.ts';
import { FINALIZER_CONTEXT, STEP_CONTEXT } from './steps/step-context.ts';

/** A workflow before its first step. */
interface Empty<State, N extends Names> extends Shape {
  readonly input: State;
  readonly state: State extends object ? State : Readonly<Record<never, never>>;
  readonly steps: Readonly<Record<never, never>>;
  readonly targets: never;
  readonly names: N;
}

/**
 * Begins a workflow. Add its steps and edges, then call `build()`.
 *
 * ```ts
 * export default workflow('greeting', { state: z.object({ name: z.string() }) })
 *   .step('greet', ({ state, pass }) => pass({ output: { text: cel<string>`"Hello, " + ${state.name}` } }))
 *   .build();
 * ```
 */
export function workflow<
  State = Readonly<Record<never, never>>,
  Retry extends string = never,
  ModelName extends string = never,
  PromptName extends string = never,
  ServerName extends string = never,
  AgentName extends string = never,
  RulesName extends string = never,
  Tools extends Readonly<Record<string, Tool>> = Readonly<Record<never, never>>,
>(
  id: string,
  options: WorkflowOptions<
    State,
    {
      readonly retryPolicies: Retry;
      readonly models: ModelName;
      readonly prompts: PromptName;
      readonly mcpServers: ServerName;
      readonly remoteAgents: AgentName;
      readonly policies: RulesName;
      readonly tools: Tools;
    }
  > = {},
): WorkflowBuilder<
  Empty<
    State,
    {
      readonly retryPolicies: Retry;
      readonly models: ModelName;
      readonly prompts: PromptName;
      readonly mcpServers: ServerName;
      readonly remoteAgents: AgentName;
      readonly policies: RulesName;
      readonly tools: Tools;
    }
  >
> {
  const { version, head, tail } = writeOptions(id, options);
  return createBuilder({ id, version, head, tail, nodes: [], edges: [], start: null, last: null });
}

/** The definition so far. */
interface Draft {
  readonly id: string;
  readonly version: string;
  readonly head: JsonObject;
  readonly tail: JsonObject;
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly json: JsonObject;
  }[];
  readonly start: string | null;
  /** The step added last, from which `next` leads on. */
  readonly last: string | null;
}

interface DraftNode {
  readonly id: string;
  readonly node: JsonObject;
  readonly targets: readonly string[];
  readonly isFinalizer: boolean;
}

function createBuilder<S extends Shape>(draft: Draft): WorkflowBuilder<S> {
  const builder: WorkflowBuilder<AnyShape> = {
    step: (id, make) => createBuilder(addStep(draft, id, readStep(id, make(STEP_CONTEXT)))),
    next: (id, make) => {
      const added = addStep(draft, id, readStep(id, make(STEP_CONTEXT)));
      return createBuilder(draft.last === null ? added : addEdge(added, [draft.last, id], {}));
    },
    finalizer: (id, make) => {
      const { '~node': node, '~targets': targets } = readStep(id, make(FINALIZER_CONTEXT));
      return createBuilder(addNode(draft, { id, node, targets, isFinalizer: true }));
    },
    edge: (from, to, options = {}) =>
      createBuilder(
        addEdge(draft, [from, to], typeof options === 'function' ? options(EDGE_VALUES) : options),
      ),
    sequence: (...ids) => {
      const pairs = ids.slice(1).map((to, index) => [ids[index] ?? to, to] as const);
      return createBuilder(pairs.reduce((before, pair) => addEdge(before, pair, {}), draft));
    },
    start: (id) => createBuilder({ ...draft, start: id }),
    build: () => buildWorkflow(draft),
  };
  // Only the types know of the addition; the methods are the same for every shape.
  return builder as unknown as WorkflowBuilder<S>;
}

const EDGE_VALUES: EdgeValues<AnyShape, string> = {
  ...STEP_CONTEXT,
  output: createRef('output'),
  failure: createRef<Failure>('output'),
};

/** The compiler has checked this; programs in JavaScript have not. */
function readStep(id: string, made: unknown): Step {
  if (isStep(made)) return made;
  throw new TypeError(`the step ${id} must return a step, such as pass({ … })`);
}

function addStep(draft: Draft, id: string, step: Step): Draft {
  const { '~node': node, '~targets': targets } = step;
  return { ...addNode(draft, { id, node, targets, isFinalizer: false }), last: id };
}

function addNode(draft: Draft, node: DraftNode): Draft {
  if (draft.nodes.some(({ id }) => id === node.id)) {
    throw new TypeError(`the step ${node.id} exists twice`);
  }
  if (node.id === 'end') throw new TypeError('end is not a step: an edge to it ends the path');
  return { ...draft, nodes: [...draft.nodes, node] };
}

function addEdge(draft: Draft, [from, to]: readonly [string, string], options: EdgeOptions): Draft {
  refuseUnknown(options, EDGE, `the edge from ${from} to ${to}`);
  const { condition, on, description, labels } = options;
  const json = dropAbsent({ from, to, condition: condition?.['~cel'], on, description, labels });
  return { ...draft, edges: [...draft.edges, { from, to, json }] };
}

const EDGE: Known<EdgeOptions> = { condition: true, on: true, description: true, labels: true };

function buildWorkflow<Input, State>(draft: Draft): Workflow<Input, State> {
  checkTargets(draft);
  const { id, version, head, tail, nodes, edges, start } = draft;
  const ir = JSON.stringify({
    ...dropAbsent(head),
    ...(start !== null && { start_node: start }),
    nodes: Object.fromEntries(nodes.map((node) => [node.id, node.node])),
    edges: edges.map(({ json }) => json),
    ...dropAbsent(tail),
  });
  return {
    id,
    version,
    // A copy for each caller: what one changes, no other sees.
    toIR: () => JSON.parse(ir) as WorkflowIr,
  };
}

/** The compiler has checked this; programs in JavaScript have not. */
function checkTargets({ id: workflowId, nodes, edges, start }: Draft): void {
  const known = new Set(['end', ...nodes.filter((node) => !node.isFinalizer).map(({ id }) => id)]);
  const named = [
    ...nodes.flatMap(({ id, targets }) => targets.map((to) => ({ by: `the step ${id}`, to }))),
    ...edges.flatMap(({ from, to }) => [from, to].map((id) => ({ by: 'an edge', to: id }))),
    ...(start === null ? [] : [{ by: 'start()', to: start }]),
  ];
  const unknown = named.find(({ to }) => !known.has(to));
  if (unknown === undefined) return;
  const names = [...known].join(', ');
  throw new TypeError(
    `${workflowId}: ${unknown.by} names ${unknown.to}, which is no step; known are ${names}`,
  );
}
