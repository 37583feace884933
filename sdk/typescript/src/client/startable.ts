import type { FunctionRef } from '../function-ref.ts';

/** A workflow by its id, with the types of its input and its output where they are known. */
export interface WorkflowReference<Input = object, Output = unknown> {
  readonly workflowId: string;
  /** Absent: the version that was registered last. */
  readonly version?: string;
  /** Types alone; no value is ever here. */
  readonly '~io'?: { readonly input: Input; readonly output: Output };
}

/** A workflow from the builder of `svc-sdk/workflow`. The output of a graph is not typed. */
export interface BuiltWorkflow<Input = unknown> {
  readonly id: string;
  readonly version: string;
  readonly '~types'?: { readonly input: Input; readonly state: unknown };
}

/** A workflow to start: by its id, as it is built, or as a durable function. */
export type Startable<Input extends object, Output> =
  string | WorkflowReference<Input, Output> | FunctionRef<Input, Output> | BuiltWorkflow<Input>;

/** The same without types of input and output. */
export type NamedWorkflow =
  | string
  | { readonly workflowId: string; readonly version?: string }
  | { readonly id: string }
  | { readonly name: string };

/** The version is absent where the last registered one is meant. */
export function nameOfStartable(target: NamedWorkflow): {
  readonly workflowId: string;
  readonly version?: string;
} {
  if (typeof target === 'string') return { workflowId: target };
  if ('workflowId' in target) return target;
  // A worker registers a function under its name.
  return { workflowId: 'id' in target ? target.id : target.name };
}
