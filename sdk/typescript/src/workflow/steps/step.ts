import { refuseUnknown, type Known } from '../../known-options.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { dropAbsent } from '../json.ts';
import { writeOptionalMapping, type AnyMapping, type Mappable } from '../mapping.ts';
import { writeRetryChoice, type Duration, type RetryPolicy } from '../parts/limits.ts';
import { writeDataPolicy, writePolicy, type DataPolicy, type Policy } from '../parts/policies.ts';
import type { AnyShape, Effects, RetryChoice, Shape } from '../shape.ts';

/** A step before it has an id. */
export interface Step<Of extends Effects = Effects> {
  /** The node of the definition. */
  readonly '~node': JsonObject;
  /** The ids of the steps that it leads to. */
  readonly '~targets': readonly string[];
  /** Absent at run time. */
  readonly '~types'?: Of;
}

/** The effects of a step. */
export type EffectsOf<Made> = Made extends Step<infer Of> ? Of : Effects;

/** The effects of a step that gives `Output`, and writes it under `Key`. */
export interface Gives<Output, Key extends string, Targets extends string = never> {
  readonly output: Output;
  readonly writes: UnderKey<Key, Output>;
  readonly adds: UnderKey<Key, Output>;
  readonly targets: Targets;
}

/** The state after an output was put under a key, if there is one. */
export type UnderKey<Key extends string, Output> = [Key] extends [never]
  ? object
  : { readonly [Name in Key]: Output };

/** Options of every step. */
export interface StepOptions<S extends Shape, Key extends string, Fallback extends string> {
  /** The state key for the output. */
  readonly outputKey?: Key;
  /** A name of `retryPolicies`, a built-in name, or a policy. Default: 3 attempts. */
  readonly retryPolicy?: RetryChoice<S>;
  /** Longest time of one attempt. Default 300 s. */
  readonly nodeTimeout?: Duration;
  /** The next step after a permanent failure: the same as an edge with `on: 'failure'`. */
  readonly fallbackNode?: Fallback;
  /** The step that undoes this one if the execution fails or is cancelled. Its input is the output. */
  readonly undo?: Step;
  /** The ends at which it is undone. Default: both. */
  readonly undoOn?: readonly ('failed' | 'cancelled')[];
  /** The tools and models that this step may use. */
  readonly policy?: Policy;
  /** Limits on the data of this step that people see. */
  readonly dataPolicy?: DataPolicy;
  readonly description?: string;
  readonly labels?: JsonValue;
}

/** A mapping of unknown type; default the whole state. */
export interface AnyInput {
  readonly input?: AnyMapping;
}

/** The input of a step that takes an `Input`. It may be absent if the whole state is one. */
export type InputFor<S extends Shape, Input> = unknown extends Input
  ? AnyInput
  : S['state'] extends Input
    ? { readonly input?: Mappable<Input> }
    : { readonly input: Mappable<Input> };

interface WrittenOptions {
  readonly outputKey?: string | undefined;
  readonly retryPolicy?: string | RetryPolicy | undefined;
  readonly nodeTimeout?: Duration | undefined;
  readonly fallbackNode?: string | undefined;
  readonly undo?: Step | undefined;
  readonly undoOn?: readonly ('failed' | 'cancelled')[] | undefined;
  readonly policy?: Policy | undefined;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly description?: string | undefined;
  readonly labels?: JsonValue | undefined;
  readonly input?: unknown;
}

/** The options that a kind of step has beside those of every step. */
export type Own<Options> = Known<Omit<Options, keyof CommonOptions>>;

type CommonOptions = StepOptions<AnyShape, string, string> & AnyInput;

const COMMON: Known<CommonOptions> = {
  input: true,
  outputKey: true,
  retryPolicy: true,
  nodeTimeout: true,
  fallbackNode: true,
  undo: true,
  undoOn: true,
  policy: true,
  dataPolicy: true,
  description: true,
  labels: true,
};

/**
 * The node of a step: `kind` with its type first, and what every step may say.
 * @throws TypeError for an option that is neither common to all steps nor one of `own`
 */
export function createStep<Of extends Effects>(
  kind: JsonObject & { readonly type: string },
  options: WrittenOptions = {},
  more: {
    readonly own?: Readonly<Record<string, true>>;
    readonly targets?: readonly string[] | undefined;
  } = {},
): Step<Of> {
  refuseUnknown(options, { ...COMMON, ...more.own }, `${nameMethod(kind.type)}()`);
  const { fallbackNode } = options;
  const { targets = [] } = more;
  return {
    '~node': dropAbsent({
      kind: dropAbsent(kind),
      description: options.description,
      labels: options.labels,
      input_mapping: writeOptionalMapping(options.input),
      output_key: options.outputKey,
      retry_policy: writeRetryChoice(options.retryPolicy),
      node_timeout_secs: options.nodeTimeout,
      fallback_node: fallbackNode,
      undo: options.undo?.['~node'],
      undo_on: options.undoOn,
      policy: writePolicy(options.policy),
      data_policy: writeDataPolicy(options.dataPolicy),
    }),
    '~targets': fallbackNode === undefined ? targets : [...targets, fallbackNode],
  };
}

/** The method of the builder that makes steps of this type. */
function nameMethod(type: string): string {
  return type.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

export function isStep(value: unknown): value is Step {
  return typeof value === 'object' && value !== null && '~node' in value;
}
