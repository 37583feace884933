import { setTimeout as delay } from 'node:timers/promises';

import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import { ApiError } from '../../../src/shared/clients/svc/request.ts';
import type { WireEvent, WireExecution } from '../../../src/shared/clients/svc/wire.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';

/** How the execution of a case ended, as the runtime tells it. */
export interface EndedExecution {
  /** Null: it was never started. */
  readonly executionId: string | null;
  readonly state: JsonValue;
  /** Set unless it completed. */
  readonly error: string | null;
  /** From its start to its end, by the runtime's clock. */
  readonly durationMs: number | null;
  /** What its models used, input and output together. */
  readonly tokens: number | null;
  /** US dollars; null: a price is not known. */
  readonly costUsd: number | null;
}

const INTERRUPTED = 'the evaluation was interrupted';
const DELAY_MS = { first: 250, most: 5_000 };

/**
 * Starts an execution and follows it to its end, over to the one it goes on as. One that takes too long, or is under way when the
 * evaluation is interrupted, is cancelled. Rejects when the runtime is gone or turns the client
 * away: then other cases would fare no better.
 */
export async function runExecution(params: {
  readonly client: SvcClient;
  readonly workflow: { readonly id: string; readonly version: string };
  readonly input: JsonObject;
  readonly idempotencyKey: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): Promise<EndedExecution> {
  const { client, timeoutMs, signal } = params;
  const limit = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, limit]);
  const tooLate = () => (signal.aborted ? INTERRUPTED : `not done within ${timeoutMs / 1000} s`);
  let executionId: string;
  try {
    executionId = await start(params, either);
  } catch (error) {
    if (either.aborted) return { ...UNUSED, ...withoutOutput(null, tooLate()) };
    if (isOwnFault(error)) return { ...UNUSED, ...withoutOutput(null, error.message) };
    throw error;
  }
  const usage = new UsageSum();
  let startedAt: number | null = null;
  for (;;) {
    try {
      const events = client.followEvents({ executionId, after: 0, signal: either });
      for await (const event of events) usage.add(event);
    } catch (error) {
      if (!either.aborted) throw error;
      await cancel(client, executionId);
      return { ...withoutOutput(executionId, tooLate()), ...usage.sum() };
    }
    const ended = await client.readExecution(executionId);
    startedAt ??= Date.parse(ended.created_at);
    const next = ended.continued_as ?? null;
    if (next === null) return { ...readEnd(ended, startedAt), ...usage.sum() };
    executionId = next;
  }
}

function readEnd(ended: WireExecution, startedAt: number) {
  const { execution_id: executionId, status, state = null, error, completed_at: end } = ended;
  return {
    executionId,
    state,
    error: status === 'completed' ? null : (error ?? `the execution was ${status}`),
    durationMs: end === null ? null : Date.parse(end) - startedAt,
  };
}

/** A runtime at its limits, and one that is starting, is asked again. */
async function start(params: Parameters<typeof runExecution>[0], signal: AbortSignal) {
  const { client, workflow, input, idempotencyKey } = params;
  let delayMs = DELAY_MS.first;
  for (;;) {
    signal.throwIfAborted();
    try {
      const { id: workflowId, version } = workflow;
      const started = await client.startExecution({ workflowId, version, input, idempotencyKey });
      return started.execution_id;
    } catch (error) {
      if (!(error instanceof ApiError) || ![429, 503].includes(error.status)) throw error;
    }
    await delay(delayMs, undefined, { signal });
    delayMs = Math.min(delayMs * 2, DELAY_MS.most);
  }
}

/** The input of this case was refused, which says nothing of the others. */
function isOwnFault(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 409, 413].includes(error.status);
}

/** It may have ended in the meantime. */
async function cancel(client: SvcClient, executionId: string): Promise<void> {
  try {
    await client.cancelExecution(executionId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function withoutOutput(executionId: string | null, error: string) {
  return { executionId, state: null, error, durationMs: null };
}

/** What was never started has used nothing. */
const UNUSED = { tokens: 0, costUsd: 0 };

/** Adds up what the events say that models used. */
class UsageSum {
  #tokens = 0;
  #costUsd: number | null = 0;

  add({ payload }: WireEvent): void {
    const usage = isJsonObject(payload) ? (payload['usage'] ?? null) : null;
    if (!isJsonObject(usage)) return;
    const { input_tokens: input, output_tokens: output, cost_usd: cost } = usage;
    this.#tokens +=
      (typeof input === 'number' ? input : 0) + (typeof output === 'number' ? output : 0);
    const isPriced = typeof cost === 'number' && this.#costUsd !== null;
    this.#costUsd = isPriced ? (this.#costUsd ?? 0) + cost : null;
  }

  sum(): Pick<EndedExecution, 'tokens' | 'costUsd'> {
    return { tokens: this.#tokens, costUsd: this.#costUsd };
  }
}
