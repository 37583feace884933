import type { Read } from './expression.ts';
import type { BuiltInRetryPolicy, RetryPolicy } from './parts/limits.ts';
import type { Tool } from './parts/tools.ts';

/** The facts about a workflow that the compiler knows while you build it. */
export interface Shape {
  /** The input of an execution. */
  readonly input: unknown;
  /** The state by its keys: those of the input, and those that steps write. */
  readonly state: object;
  /** The outputs of the steps by their ids. */
  readonly steps: object;
  /** Steps that other steps name as their targets. */
  readonly targets: string;
  readonly names: Names;
}

/** The names that a definition declares beside its steps. */
export interface Names {
  readonly retryPolicies: string;
  readonly models: string;
  readonly prompts: string;
  readonly mcpServers: string;
  readonly remoteAgents: string;
  readonly policies: string;
  readonly tools: Readonly<Record<string, Tool>>;
}

/** A workflow of which nothing is known but that its steps have ids. */
export interface AnyShape extends Shape {
  readonly steps: Readonly<Record<string, unknown>>;
  readonly targets: never;
}

/** The ids of the steps. */
export type StepId<S extends Shape> = keyof S['steps'] & string;

/** Ends a path, in place of a step. */
export type End = 'end';

export type RetryChoice<S extends Shape> =
  S['names']['retryPolicies'] | BuiltInRetryPolicy | RetryPolicy;

/** A step after `Id` was added, which gives `Output`, writes `Writes` and names `Targets`. */
export interface Added<S extends Shape, Id extends string, Of extends Effects> extends Shape {
  readonly input: S['input'];
  readonly state: AddKeys<S['state'], Of['adds']>;
  readonly steps: S['steps'] & { readonly [Key in Id]: Of['output'] };
  readonly targets: S['targets'] | Of['targets'];
  readonly names: S['names'];
}

/** The changes that a step makes to the shape. */
export interface Effects {
  readonly output: unknown;
  /** Keys and types that it writes into the state; declared keys must allow them. */
  readonly writes: object;
  /** The same, as later steps see it. */
  readonly adds: object;
  readonly targets: string;
}

/** A declared key keeps its type, and is no longer optional once a step writes it. */
export type AddKeys<State, Writes> = [keyof Writes] extends [never]
  ? State
  : {
      readonly [Key in keyof State | keyof Writes]: Key extends keyof Writes
        ? Key extends Exclude<keyof State, OverwrittenKey>
          ? Exclude<State[Key], undefined>
          : Writes[Key]
        : Key extends keyof State
          ? State[Key]
          : never;
    };

/** Every model step writes these, each with its own type. */
type OverwrittenKey = 'last_model_output' | 'last_model_finish_reason' | 'last_model_tool_calls';

/** The keys that a step writes with another type than the state has. */
export type WrongKeys<State, Writes> = {
  [Key in keyof Writes & Exclude<keyof State, OverwrittenKey>]: [Read<Writes[Key]>] extends [
    State[Key] | null,
  ]
    ? never
    : Key;
}[keyof Writes & Exclude<keyof State, OverwrittenKey>];
