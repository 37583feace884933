import {
  describeError,
  NonRetryableError,
  requireJson,
  SerializationError,
  stackOf,
} from './errors.ts';
import type { WorkerTool } from './define-tool.ts';
import { LabelSet } from './labels.ts';
import type { Logger } from './logger.ts';
import type { Lease } from './keep-lease.ts';
import { retryAfterOf } from './retry-after.ts';
import type { WorkerClock } from './worker-options.ts';
import { completeItem, failItem, releaseItem, type Ending, type Held } from './settle-item.ts';
import { isRecord } from '../is-record.ts';

/** Calls the tool of an item and hands in its output or error. */
export async function runTool(
  tool: WorkerTool,
  given: {
    readonly held: Held;
    readonly lease: Lease;
    readonly logger: Logger;
    readonly clock: WorkerClock;
  },
): Promise<Ending> {
  const { held, lease, logger, clock } = given;
  const startedAt = performance.now();
  const labels = new LabelSet();
  const called = call(tool, { ...given, labels });
  const result = await Promise.race([called, whenAborted(lease.stopped)]);
  const durationMs = Math.round(performance.now() - startedAt);
  if (lease.lost.aborted) return 'abandoned';
  // The time of the worker is up: another worker may begin at once.
  if (result === null) return releaseItem(held);
  if (result.ok) return completeItem(held, { output: result.output, durationMs, ...labels.member });
  const { message, errorClass } = describeError(result.error);
  const fields = { error: message, error_class: errorClass, ...stackOf(result.error) };
  logger.warn(fields, 'the tool failed');
  const isUnreadable = result.error instanceof SerializationError;
  const isFinal = !isUnreadable && result.error instanceof NonRetryableError;
  return failItem(held, {
    message,
    errorClass: isFinal ? 'NonRetryableError' : errorClass,
    retryAfterMs: retryAfterOf(result.error, clock.nowMs()),
    // The tool has done its work, and would do it again.
    ...(isUnreadable && { final: true }),
  });
}

type Result =
  { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly error: unknown };

/** Never rejects. */
async function call(
  tool: WorkerTool,
  given: {
    readonly held: Held;
    readonly lease: Lease;
    readonly logger: Logger;
    readonly labels: LabelSet;
  },
): Promise<Result> {
  const { item } = given.held;
  try {
    const output = await tool.run(item.payload.input, {
      idempotencyKey: item.idempotency_key ?? item.id,
      attempt: item.attempt,
      executionId: item.execution_id,
      nodeId: item.node_id,
      workItemId: item.id,
      traceparent: item.traceparent ?? null,
      signal: given.lease.stopped,
      logger: given.logger,
      setLabels: given.labels.set,
    });
    const what = `The output of the tool ${tool.name}`;
    const copy = requireJson(output, { name: 'output', what });
    if (isRecord(copy)) return { ok: true, output: copy };
    throw new SerializationError(`${what} is not a JSON object`);
  } catch (error) {
    return { ok: false, error };
  }
}

/** Resolves with null when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
