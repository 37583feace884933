import type { FunctionRef } from '../../function-ref.ts';
import { CALL_QUOTA, type CallQuota } from '../parts/call-quota.ts';
import { readSchema, type Schema } from '../schema.ts';
import type { AnyShape, Shape } from '../shape.ts';
import {
  createStep,
  type AnyInput,
  type Gives,
  type InputFor,
  type Own,
  type Step,
  type StepOptions,
} from './step.ts';

interface WorkerOptions<
  S extends Shape,
  Output,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** Checked when the worker completes the work. It also gives the type of the output. */
  readonly outputSchema?: Schema<Output>;
  /** The named queue that workers claim it from. Default: the queue that every worker serves. */
  readonly queue?: string;
}

interface PythonFnOptions<S extends Shape, Output, Key extends string, Fallback extends string>
  extends WorkerOptions<S, Output, Key, Fallback>, CallQuota, AnyInput {
  readonly module: string;
  readonly function: string;
}

interface JavaFnOptions<S extends Shape, Output, Key extends string, Fallback extends string>
  extends WorkerOptions<S, Output, Key, Fallback>, CallQuota, AnyInput {
  readonly className: string;
  readonly method: string;
}

interface FunctionStepOptions<S extends Shape, Output, Key extends string, Fallback extends string>
  extends WorkerOptions<S, Output, Key, Fallback>, CallQuota {
  /** False: `nodeTimeout` leaves out the time in which the function is suspended. Default: true. */
  readonly countSuspended?: boolean;
  /** True: a visit stays with the build of the worker that began it. Default: false. */
  readonly pinned?: boolean;
}

/** Steps that workers run. */
export interface WorkerSteps<S extends Shape> {
  /** A function of a Python worker. */
  readonly pythonFn: <
    Output = unknown,
    Key extends string = never,
    Fallback extends string = never,
  >(
    options: PythonFnOptions<S, Output, Key, Fallback>,
  ) => Step<Gives<Output, Key, Fallback>>;

  /** A method of a Java worker. */
  readonly javaFn: <Output = unknown, Key extends string = never, Fallback extends string = never>(
    options: JavaFnOptions<S, Output, Key, Fallback>,
  ) => Step<Gives<Output, Key, Fallback>>;

  /** A durable function: what `defineFunction` returned, or its name. */
  readonly function: <
    Input = unknown,
    Output = unknown,
    Key extends string = never,
    Fallback extends string = never,
  >(
    ref: FunctionRef<Input, Output> | string,
    ...options: OptionsOf<FunctionStepOptions<S, Output, Key, Fallback> & InputFor<S, Input>>
  ) => Step<Gives<Output, Key, Fallback>>;
}

/** Options that may be left out if none is required. */
export type OptionsOf<Options> = object extends Options ? [options?: Options] : [options: Options];

const WORKER: Own<WorkerOptions<AnyShape, unknown, string, string>> = {
  outputSchema: true,
  queue: true,
};
const PYTHON_FN: Own<PythonFnOptions<AnyShape, unknown, string, string>> = {
  ...WORKER,
  ...CALL_QUOTA,
  module: true,
  function: true,
};
const JAVA_FN: Own<JavaFnOptions<AnyShape, unknown, string, string>> = {
  ...WORKER,
  ...CALL_QUOTA,
  className: true,
  method: true,
};
const FUNCTION: Own<FunctionStepOptions<AnyShape, unknown, string, string>> = {
  ...WORKER,
  ...CALL_QUOTA,
  countSuspended: true,
  pinned: true,
};

export const workerSteps: WorkerSteps<AnyShape> = {
  pythonFn({ module, function: name, outputSchema, queue, concurrency, rate, ...options }) {
    const output_schema = readSchema(outputSchema, `${module}.${name}`);
    const call = { module, function: name };
    const quota = { concurrency, rate };
    const kind = { type: 'python_fn', ...call, output_schema, queue, ...quota };
    return createStep(kind, options, { own: PYTHON_FN });
  },

  javaFn({ className, method, outputSchema, queue, concurrency, rate, ...options }) {
    const output_schema = readSchema(outputSchema, `${className}.${method}`);
    const call = { class_name: className, method };
    const quota = { concurrency, rate };
    const kind = { type: 'java_fn', ...call, output_schema, queue, ...quota };
    return createStep(kind, options, { own: JAVA_FN });
  },

  function(ref, ...[options]) {
    const { outputSchema, queue, countSuspended, pinned, concurrency, rate, ...rest } =
      options ?? {};
    const name = typeof ref === 'string' ? ref : ref.name;
    const output_schema = readSchema(outputSchema, `the function ${name}`);
    const of = { queue, pinned, count_suspended: countSuspended, concurrency, rate };
    return createStep({ type: 'function', name, output_schema, ...of }, rest, { own: FUNCTION });
  },
};
