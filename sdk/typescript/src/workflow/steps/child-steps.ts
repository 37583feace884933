import type { Workflow } from '../builder.ts';
import { createRef, isExpression, type Expression, type Ref } from '../expression.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { writeMapping, writeOptionalMapping, type AnyMapping, type Resolved } from '../mapping.ts';
import type { AnyShape, Effects, Shape } from '../shape.ts';
import type { Merged } from './control-steps.ts';
import {
  createStep,
  isStep,
  type InputFor,
  type Own,
  type Step,
  type StepOptions,
  type UnderKey,
} from './step.ts';
import { writeComputed } from './waiting-steps.ts';
import type { OptionsOf } from './worker-steps.ts';

/** The output of a failed child, with `onChildFailure: 'complete'`. */
export interface ChildFailure {
  readonly error: string;
  readonly error_class: string;
  readonly status: string;
  readonly execution_id: string;
}

interface SubgraphOptions<
  S extends Shape,
  State,
  Output,
  OnFailure,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** Default: the one registered last when the step runs. */
  readonly workflowVersion?: string;
  /** The output, made from the last state of the child. Without an output key, an object is merged into the state. */
  readonly outputMapping?: (values: { readonly output: Ref<State> }) => Output;
  /** `complete`: the step completes with a `ChildFailure`. Default `fail`. */
  readonly onChildFailure?: OnFailure;
}

type OnChildFailure = 'fail' | 'complete';

interface RunsChild<
  State,
  Output,
  OnFailure,
  Key extends string,
  Fallback extends string,
> extends Effects {
  readonly output:
    | ([Output] extends [never] ? State : Resolved<Output>)
    | ('complete' extends OnFailure ? ChildFailure : never);
  readonly writes: [Output] extends [never]
    ? UnderKey<Key, this['output']>
    : [Key] extends [never]
      ? Merged<Resolved<Output>, Key>
      : UnderKey<Key, this['output']>;
  readonly adds: this['writes'];
  readonly targets: Fallback;
}

/** Values for the step that a map runs for each item. */
export interface MapContext<Item> {
  /** The item. In raw expressions it is `input.<itemKey>`. */
  readonly item: Ref<Item>;
}

interface MapOptions<
  S extends Shape,
  Item,
  Made,
  OnFailure,
  Context,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** The list, of at most 10 000 items. */
  readonly items: Expression<readonly Item[]> | readonly Item[];
  /** The step that runs for each item. Without an input, it gets the state with the item under its key. */
  readonly step: (context: Context & MapContext<Item>) => Made;
  /** Default `item`. */
  readonly itemKey?: string;
  /** Items in progress at a time, 1 to 10 000. Default 100. */
  readonly maxConcurrency?: number;
  /** `collect`: the output of a failed item is `{ error }`. Default `fail`: the map fails. */
  readonly onItemFailure?: OnFailure;
}

type OutputOf<Made> = Made extends Step<infer Of> ? Of['output'] : never;

interface Maps<Made, OnFailure, Key extends string, Fallback extends string> extends Effects {
  readonly output: readonly (
    OutputOf<Made> | ('collect' extends OnFailure ? { readonly error: string } : never)
  )[];
  readonly writes: UnderKey<Key, this['output']>;
  readonly adds: this['writes'];
  readonly targets: Fallback;
}

/** Steps that run other steps. `Context`: what the step of a map is made of. */
export interface ChildSteps<S extends Shape, Context> {
  /** Runs one step for each item of a list; the output is the list of their outputs. */
  readonly map: <
    Item,
    Made,
    const OnFailure extends 'fail' | 'collect' = 'fail',
    Key extends string = never,
    Fallback extends string = never,
  >(
    options: MapOptions<S, Item, Made, OnFailure, Context, Key, Fallback>,
  ) => Step<Maps<Made, OnFailure, Key, Fallback>>;

  /** Runs another workflow as a child execution: one that `build()` gave, or its id. */
  readonly subgraph: <
    Input = unknown,
    State = unknown,
    const Output extends AnyMapping = never,
    const OnFailure extends OnChildFailure = 'fail',
    Key extends string = never,
    Fallback extends string = never,
  >(
    workflow: Workflow<Input, State> | string,
    ...options: OptionsOf<
      SubgraphOptions<S, State, Output, OnFailure, Key, Fallback> & InputFor<S, Input>
    >
  ) => Step<RunsChild<State, Output, OnFailure, Key, Fallback>>;
}

const MAP: Own<MapOptions<AnyShape, unknown, unknown, unknown, unknown, string, string>> = {
  items: true,
  step: true,
  itemKey: true,
  maxConcurrency: true,
  onItemFailure: true,
};
const SUBGRAPH: Own<SubgraphOptions<AnyShape, unknown, unknown, unknown, string, string>> = {
  workflowVersion: true,
  outputMapping: true,
  onChildFailure: true,
};

/** `context`: what the step of a map is made of, asked for when a map is made. */
export function createChildSteps<Context extends object>(
  context: () => Context,
): ChildSteps<AnyShape, Context> {
  return {
    map({ items, step, itemKey, maxConcurrency, onItemFailure, ...options }) {
      const made: unknown = step({ ...context(), item: createRef('input', [itemKey ?? 'item']) });
      const kind = {
        type: 'map',
        items: writeItems(items),
        item_key: itemKey,
        node: readBody(made),
        max_concurrency: maxConcurrency,
        on_item_failure: onItemFailure,
      };
      return createStep(kind, options, { own: MAP });
    },

    subgraph(workflow, ...[options]) {
      const { workflowVersion, outputMapping, onChildFailure, ...rest } = options ?? {};
      const kind = {
        type: 'subgraph',
        workflow_ref: typeof workflow === 'string' ? workflow : workflow.id,
        workflow_version: workflowVersion,
        output_mapping: writeOptionalMapping(outputMapping?.({ output: createRef('output') })),
        on_child_failure: onChildFailure,
      };
      return createStep(kind, rest, { own: SUBGRAPH });
    },
  };
}

function writeItems(items: Expression | readonly unknown[]): JsonValue | undefined {
  return isExpression(items) ? writeComputed(items) : writeMapping(items);
}

function readBody(made: unknown): JsonObject {
  if (isStep(made)) return made['~node'];
  throw new TypeError('the step of a map must return a step, such as pass({ … })');
}
