import { ExecutionCancelledError, ExecutionFailedError, TimeoutError } from './errors.ts';
import { createOutage } from './outage.ts';
import type { createExecutions } from './resources/executions.ts';
import type { Transport } from './transport.ts';
import type { ExecutionResult } from './wire.ts';

/** Below the time after which proxies give up on an answer; the service takes 60 s at most. */
export const WAIT_MS_MAX = 30_000;

/**
 * Waits for the end of an execution, and of the runs that continue it, with one request after the
 * other. Outages of up to a minute are waited out.
 */
export async function awaitEnd(
  transport: Transport,
  executions: ReturnType<typeof createExecutions>,
  params: {
    readonly executionId: string;
    /** Null: as long as it takes. */
    readonly timeoutMs: number | null;
    readonly signal: AbortSignal | null;
  },
): Promise<ExecutionResult> {
  const { timeoutMs, signal } = params;
  const { environment } = transport;
  const outage = createOutage(environment, signal);
  const began = environment.now();
  const leftMs = () => (timeoutMs ?? Infinity) - (environment.now() - began);
  let id = params.executionId;
  for (;;) {
    const waitMs = Math.max(0, Math.min(WAIT_MS_MAX, leftMs()));
    const askedAt = environment.now();
    try {
      const answer = await executions.result(id, {
        waitMs,
        ...(timeoutMs !== null && { timeout: withGrace(leftMs()) }),
        ...(signal !== null && { signal }),
      });
      outage.over();
      if ('error' in answer) {
        if (answer.continued_as === null) return answer;
        id = answer.continued_as;
        continue;
      }
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (leftMs() <= 0) throw tooLate(id, timeoutMs, error);
      await outage.endure(error);
      continue;
    }
    if (leftMs() <= 0) throw tooLate(id, timeoutMs);
    // A service that shuts down answers at once.
    if (environment.now() - askedAt < waitMs / 2) await outage.rest();
    else outage.recovered();
  }
}

/** An answer that comes just after the wait is over still counts. */
export function withGrace(timeoutMs: number): number {
  return Math.max(0, timeoutMs) + GRACE_MS;
}

const GRACE_MS = 1_000;

function tooLate(executionId: string, timeoutMs: number | null, cause?: unknown): TimeoutError {
  return new TimeoutError(
    `${executionId} has not ended within ${timeoutMs} ms; it continues. See what it waits for with ` +
      `"svc execution explain ${executionId}"`,
    { executionId, cause },
  );
}

/** The output of a completed execution; throws for the others. */
export function outputOf(result: ExecutionResult): unknown {
  const { execution_id: executionId, error } = result;
  if (error === null) return result.output;
  if (result.status === 'cancelled') {
    throw new ExecutionCancelledError(`${executionId} was cancelled: ${error.message}`, {
      executionId,
    });
  }
  throw new ExecutionFailedError(
    `${executionId} failed: ${error.message}. Its events: "svc execution events ${executionId}"`,
    { executionId, errorClass: error.class, nodeId: error.node_id },
  );
}
