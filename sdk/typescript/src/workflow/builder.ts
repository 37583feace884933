import type { Expression, Ref } from './expression.ts';
import type { WorkflowIr } from './ir-types.ts';
import type { JsonValue } from './json.ts';
import type { Added, End, Shape, StepId, WrongKeys } from './shape.ts';
import type { EffectsOf, Step } from './steps/step.ts';
import type { FinalizerContext, StepContext, Values } from './steps/step-context.ts';

/** A workflow that can be registered, and run by others as a child. */
export interface Workflow<Input = unknown, State = unknown> {
  readonly id: string;
  readonly version: string;
  /**
   * The definition (IR), as `POST /workflows` takes it. The same program gives the same bytes of JSON: the order in
   * which options are written does not matter, the order of steps and edges and of members of schemas is kept.
   */
  readonly toIR: () => WorkflowIr;
  /** Absent at run time. */
  readonly '~types'?: { readonly input: Input; readonly state: State };
}

/**
 * Builds a workflow. Each method returns a new builder and changes nothing. A step reads the state that the schema
 * declares and the steps above it write; edges and branches set the order in which steps run.
 */
export interface WorkflowBuilder<S extends Shape> {
  /** Adds a step. Edges, or other steps, lead to it. */
  step<const Id extends string, Made>(
    id: Id & NewId<S, Id>,
    make: (context: StepContext<S>) => Made & Fits<S, Made>,
  ): WorkflowBuilder<Added<S, Id, EffectsOf<Made>>>;

  /** Adds a step, and an edge to it from the step before. */
  next<const Id extends string, Made>(
    id: Id & NewId<S, Id>,
    make: (context: StepContext<S>) => Made & Fits<S, Made>,
  ): WorkflowBuilder<Added<S, Id, EffectsOf<Made>>>;

  /** Adds a tool call that runs when the execution ends. No edge leads to it. */
  finalizer<const Id extends string, Made>(
    id: Id & NewId<S, Id>,
    make: (context: FinalizerContext<S>) => Made & Fits<S, Made>,
  ): WorkflowBuilder<S>;

  /** Leads from one step to another, or to `end`. */
  edge<From extends StepId<S>>(
    from: From,
    to: StepId<S> | End,
    options?: EdgeOptions | ((values: EdgeValues<S, From>) => EdgeOptions),
  ): WorkflowBuilder<S>;

  /** Edges from each step to the one behind it. */
  sequence(
    ...steps: readonly [StepId<S>, StepId<S>, ...(readonly StepId<S>[])]
  ): WorkflowBuilder<S>;

  /** The first step. Default: the step named `start`, else the only one that nothing leads to. */
  start(id: StepId<S>): WorkflowBuilder<S>;

  /** The workflow. It can't be called while a step names a target that does not exist. */
  readonly build: [Exclude<S['targets'], StepId<S> | End>] extends [never]
    ? () => Workflow<S['input'], S['state']>
    : UnknownStep<Exclude<S['targets'], StepId<S> | End>>;
}

export interface EdgeOptions {
  /** Without one, or when it is true, the edge is taken. */
  readonly condition?: Expression;
  /** `failure`: the edge is taken when the step has failed permanently. Default `success`. */
  readonly on?: 'success' | 'failure';
  readonly description?: string;
  readonly labels?: JsonValue;
}

/** Values that the condition of an edge can read. */
export interface EdgeValues<S extends Shape, From extends StepId<S>> extends Omit<
  Values<S>,
  'output'
> {
  /** The output of the step that the edge leaves. */
  readonly output: Ref<S['steps'][From & keyof S['steps']]>;
  /** The error of that step, on an edge with `on: 'failure'`. */
  readonly failure: Ref<Failure>;
}

/** Why a step failed permanently. */
export interface Failure {
  readonly error: string;
  readonly error_class: string | null;
}

/** Refuses an id that is taken. */
export type NewId<S extends Shape, Id extends string> = Id extends StepId<S> | End
  ? Problem<`the id ${Id} is taken`>
  : unknown;

/**
 * Refuses what is no step, and a step that writes a value of another type than the state has under that key. It is
 * no constraint of `Made`: the compiler would infer each literal of a step as any text then.
 */
export type Fits<S extends Shape, Made> =
  Made extends Step<infer Of>
    ? [WrongKeys<S['state'], Of['writes']>] extends [never]
      ? unknown
      : Problem<`the state key ${WrongKeys<S['state'], Of['writes']> & string} has another type`>
    : Problem<'return a step, such as pass({ … })'>;

/** Stands in place of `build` while a step names a target that does not exist. */
export interface UnknownStep<Id extends string> {
  readonly '~problem': `no step is named ${Id}`;
}

/** No value has this type: its text is the reason. */
export interface Problem<Reason extends string> {
  readonly '~problem': Reason;
}
