import { refuseUnknown, type Known } from '../../known-options.ts';
import type { Expression } from '../expression.ts';
import { dropAbsent, type JsonValue } from '../json.ts';
import { writeOptionalMapping, type AnyMapping, type Literal, type Resolved } from '../mapping.ts';
import type { AnyShape, End, Shape, StepId } from '../shape.ts';
import {
  createStep,
  type Gives,
  type Own,
  type Step,
  type StepOptions,
  type UnderKey,
} from './step.ts';

/** The effects of a `pass`: without an output key, an object becomes members of the state. */
export interface Passes<Output, Input, Key extends string, Targets extends string> {
  readonly output: Resolved<OneOf<Output, Input>>;
  readonly writes: Written<Output, Resolved<OneOf<Output, Input>>, Key>;
  readonly adds: Written<Output, Widened<OneOf<Output, Input>>, Key>;
  readonly targets: Targets;
}

type OneOf<Output, Input> = [Output] extends [never] ? Input : Output;

/** An input that passes is not merged. */
type Written<Output, Value, Key extends string> = [Output] extends [never]
  ? UnderKey<Key, Value>
  : Merged<Value, Key>;

/** An object becomes members of the state, unless it has a key of its own. */
export type Merged<Value, Key extends string> = [Key] extends [never]
  ? Value extends object
    ? Value extends readonly unknown[]
      ? object
      : Value
    : object
  : { readonly [Name in Key]: Value };

/** Another step may write another text: a key is not of one constant. */
type Widened<M> =
  M extends Expression<infer T>
    ? T
    : M extends Literal<infer T>
      ? WidenedPlain<T>
      : M extends readonly (infer Item)[]
        ? readonly Widened<Item>[]
        : M extends object
          ? { readonly [Key in keyof M]: Widened<M[Key]> }
          : WidenedPlain<M>;

type WidenedPlain<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T;

interface PassOptions<
  S extends Shape,
  Output,
  Input,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** An object is merged into the state, unless there is an output key. */
  readonly output?: Output;
  /** The output where there is no `output`; it is not merged. */
  readonly input?: Input;
}

/** Where a `condition` may lead. */
export interface Branch<Target extends string> {
  /** Without one: when no other branch is taken. */
  readonly condition?: Expression;
  readonly target: Target | End;
}

interface ConditionOptions<
  S extends Shape,
  Target extends string,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** The first whose condition is true is taken. Without branches the edges of the step decide. */
  readonly branches?: readonly Branch<Target>[];
}

interface ParallelOptions<
  S extends Shape,
  Target extends string,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** The steps that start. Without branches the edges of the step decide. */
  readonly branches?: readonly Target[];
}

/** How the outputs become one. */
export type MergeStrategy = 'collect' | 'first' | { readonly custom: string };

interface JoinOptions<
  S extends Shape,
  Id extends StepId<S>,
  Strategy extends MergeStrategy,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** Default: every step that leads here. */
  readonly waitFor?: readonly Id[];
  /** `collect` (default): an object by step; `first`; or a function of a Python worker, `module:function`. */
  readonly mergeStrategy?: Strategy;
}

type JoinOutput<S extends Shape, Id extends StepId<S>, Strategy> = Strategy extends 'collect'
  ? { readonly [Step in Id]: S['steps'][Step & keyof S['steps']] }
  : Strategy extends 'first'
    ? S['steps'][Id & keyof S['steps']]
    : unknown;

/** Steps without outside work. */
export interface ControlSteps<S extends Shape> {
  /** Completes at once with `output`, else with its input. */
  readonly pass: <
    const Output extends AnyMapping = never,
    const Input extends AnyMapping = null,
    Key extends string = never,
    Fallback extends string = never,
  >(
    options?: PassOptions<S, Output, Input, Key, Fallback>,
  ) => Step<Passes<Output, Input, Key, Fallback>>;

  /** Takes the first branch whose condition is true, else the first without a condition. */
  readonly condition: <
    Target extends string = never,
    Key extends string = never,
    Fallback extends string = never,
  >(
    options?: ConditionOptions<S, Target, Key, Fallback>,
  ) => Step<Gives<{ readonly target: string | null }, Key, Exclude<Target, End> | Fallback>>;

  /** Starts all its branches. */
  readonly parallel: <
    Target extends string = never,
    Key extends string = never,
    Fallback extends string = never,
  >(
    options?: ParallelOptions<S, Target, Key, Fallback>,
  ) => Step<Gives<{ readonly targets: readonly string[] }, Key, Target | Fallback>>;

  /** Waits for steps, and puts their outputs together. */
  readonly join: <
    Id extends StepId<S> = never,
    const Strategy extends MergeStrategy = 'collect',
    Key extends string = never,
    Fallback extends string = never,
  >(
    options?: JoinOptions<S, Id, Strategy, Key, Fallback>,
  ) => Step<Gives<JoinOutput<S, Id, Strategy>, Key, Fallback>>;

  /** Ends the execution as failed, with this error and this error class (default `error`). */
  readonly fail: (options: {
    readonly message: AnyMapping;
    readonly class?: AnyMapping;
    readonly description?: string;
    readonly labels?: JsonValue;
  }) => Step<Gives<never, never>>;

  /** Ends the execution as failed, because a loop ran too often. */
  readonly limitExceeded: (options?: {
    readonly message?: string;
    readonly description?: string;
    readonly labels?: JsonValue;
  }) => Step<Gives<never, never>>;
}

const PASS: Own<PassOptions<AnyShape, unknown, unknown, string, string>> = { output: true };
const BRANCHES: Own<ConditionOptions<AnyShape, string, string, string>> = { branches: true };
const BRANCH: Known<Branch<string>> = { condition: true, target: true };
const JOIN: Own<JoinOptions<AnyShape, string, MergeStrategy, string, string>> = {
  waitFor: true,
  mergeStrategy: true,
};
const FAIL = { message: true, class: true } as const;
const LIMIT_EXCEEDED = { message: true } as const;

export const controlSteps: ControlSteps<AnyShape> = {
  pass({ output, ...options } = {}) {
    return createStep({ type: 'pass', output: writeOptionalMapping(output) }, options, {
      own: PASS,
    });
  },

  condition({ branches, ...options } = {}) {
    const written = branches?.map((branch) => {
      refuseUnknown(branch, BRANCH, 'a branch of condition()');
      const { condition, target } = branch;
      return dropAbsent({ condition: condition?.['~cel'], target });
    });
    const targets = (branches ?? []).map(({ target }) => target);
    return createStep({ type: 'condition', branches: written }, options, {
      own: BRANCHES,
      targets,
    });
  },

  parallel({ branches, ...options } = {}) {
    return createStep({ type: 'parallel', branches }, options, {
      own: BRANCHES,
      targets: branches,
    });
  },

  join({ waitFor, mergeStrategy, ...options } = {}) {
    const merge_strategy = writeMergeStrategy(mergeStrategy);
    return createStep({ type: 'join', wait_for: waitFor, merge_strategy }, options, { own: JOIN });
  },

  fail({ message, class: errorClass, ...options }) {
    const fields = {
      message: writeOptionalMapping(message),
      class: writeOptionalMapping(errorClass),
    };
    return createStep({ type: 'fail', ...fields }, options, { own: FAIL });
  },

  limitExceeded({ message, ...options } = {}) {
    return createStep({ type: 'limit_exceeded', message }, options, { own: LIMIT_EXCEEDED });
  },
};

function writeMergeStrategy(strategy: MergeStrategy | undefined): JsonValue | undefined {
  return typeof strategy === 'object' ? { custom: { function_ref: strategy.custom } } : strategy;
}
