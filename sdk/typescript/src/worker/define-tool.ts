import type { Labels } from './labels.ts';
import type { Logger } from './logger.ts';

/** The facts that a tool gets about the item on which it works. */
export interface ToolContext {
  /** The same for every attempt at this step: pass it to every system that the call changes. */
  readonly idempotencyKey: string;
  /** From 0. */
  readonly attempt: number;
  readonly executionId: string;
  readonly nodeId: string;
  readonly workItemId: string;
  /** W3C trace context of the step, when the runtime traces. */
  readonly traceparent: string | null;
  /** Aborts when the result is of no use: lease lost, execution ended, worker at its deadline. */
  readonly signal: AbortSignal;
  /** Adds the execution, the node and the attempt to each line. */
  readonly logger: Logger;
  /**
   * Sets labels of the execution, to find it by. They go with the result of the tool, and those of an
   * attempt that fails are lost. Later calls replace labels of the same names.
   *
   * @throws NonRetryableError for more than 16 labels, and for names or values that no label can have
   */
  readonly setLabels: (labels: Labels) => void;
}

/** A tool as a worker serves it; made by `defineTool`. */
export interface WorkerTool {
  readonly kind: 'tool';
  readonly name: string;
  run(input: unknown, context: ToolContext): unknown;
}

/**
 * Defines the code of a `python_fn` or `java_fn` node, named `module.function` or `class.method`.
 * It returns the output of the node, a JSON object; other output fails the item, without another
 * attempt. An error fails the attempt, with the error's `name` as `error_class`; the retry policy of the
 * node decides about another one.
 *
 * @throws TypeError when the name is empty, longer than 200 characters, or has `*` or `?`
 */
export function defineTool<Input = Readonly<Record<string, unknown>>>(
  name: string,
  run: (input: Input, context: ToolContext) => object | Promise<object>,
): WorkerTool {
  checkServedName(name, 'tool');
  return { kind: 'tool', name, run: (input, context) => run(input as Input, context) };
}

/** Claims name what a worker serves as globs, so a name must not be one by accident. */
export function checkServedName(name: string, what: string): void {
  if (name.length === 0 || name.length > 200 || /[*?\p{Cc}]/u.test(name)) {
    throw new TypeError(
      `The name of a ${what} has 1 to 200 characters without "*" and "?": ${JSON.stringify(name)}`,
    );
  }
}
