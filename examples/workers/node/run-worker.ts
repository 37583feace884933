import { keepLease } from './keep-lease.ts';
import {
  NoAnswerError,
  rest,
  send,
  sendUntilAnswered,
  type Answer,
  type Api,
  type JsonObject,
} from './send.ts';
import { uploadArtifact } from './upload-artifact.ts';

/*
 * A worker: claims items, calls the handler that each names, hands in what it returned.
 *
 * For every item claimed exactly one of these happens:
 * - the handler returns: `complete`;
 * - the handler throws, or there is none: `fail`, and the engine decides about another attempt;
 * - the lease is lost (409 to a heartbeat): the item is dropped at once and its result with it,
 *   because another worker has it now, or the execution has ended.
 *
 * A 409 to `complete` or `fail` means that the item is settled already, be it by this worker's own
 * request whose answer was lost: nothing is left to do, and `fail` never follows. The worker repeats
 * a request until it gets an answer, and renews the lease meanwhile.
 * `docs/reference/worker-protocol.md` has the reasons.
 */

export interface WorkerOptions {
  readonly api: Api;
  /** Names this process in leases and events; no two processes share one. */
  readonly workerId: string;
  readonly queueTypes: readonly string[];
  /** Items worked on at the same time. */
  readonly concurrency: number;
  /** By `module.function`. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Once aborted, the worker claims nothing more, and finishes its current items. */
  readonly stopping: AbortSignal;
  readonly log: (line: string) => void;
}

/** Returns the output of the step: an object. An error fails the attempt. */
export type Handler = (input: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;

export interface Call {
  /** The same for every attempt at this step of this execution: pass it on to what you call. */
  readonly idempotencyKey: string;
  /** From 0. */
  readonly attempt: number;
  readonly executionId: string;
  readonly nodeId: string;
  /** Aborted when the lease is lost: stop, the result is of no use any more. */
  readonly signal: AbortSignal;
  /** Sends content that is too large for the output; gives the reference that replaces it there. */
  upload(body: NonNullable<RequestInit['body']>, contentType: string): Promise<JsonObject>;
}

/** The members of a claimed item that a worker needs. */
export interface WorkItem {
  readonly id: string;
  readonly execution_id: string;
  readonly node_id: string;
  readonly payload: {
    readonly module: string;
    readonly function: string;
    readonly input: JsonObject;
  };
  readonly attempt: number;
  readonly lease_fence: number;
  /** Engines older than the two have none. */
  readonly idempotency_key?: string;
  readonly heartbeat_interval_ms?: number;
}

/** How long one claim waits for an item to come; the runtime allows up to 20 s. */
const WAIT_MS = 20_000;
const ANSWER_MS_MAX = 10_000;

/** Resolves when it was asked to stop and has finished; rejects when the runtime refuses it. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { api, workerId, concurrency, stopping, log } = options;
  const refused = new AbortController();
  const halt = AbortSignal.any([stopping, refused.signal]);
  log(`${workerId} takes work from ${api.url}`);
  const lanes = Array.from({ length: concurrency }, async () => {
    try {
      await workInTurn({ ...options, stopping: halt });
    } catch (error) {
      // The others would be refused too: they finish what they have.
      refused.abort();
      throw error;
    }
  });
  for (const lane of await Promise.allSettled(lanes)) {
    if (lane.status === 'rejected') throw lane.reason;
  }
  log(`${workerId} has stopped`);
}

async function workInTurn(options: WorkerOptions): Promise<void> {
  while (!options.stopping.aborted) {
    const askedAt = performance.now();
    const item = await claim(options);
    if (item !== null) await workOn(item, options);
    // A runtime that knows no `wait_ms` answers at once.
    else if (performance.now() - askedAt < WAIT_MS / 2) {
      await rest({ failures: 2, signal: options.stopping });
    }
  }
}

/** The next item; null when there was none for a while, or when the worker stops. */
async function claim(options: WorkerOptions): Promise<WorkItem | null> {
  const { api, workerId, queueTypes, handlers, stopping, log } = options;
  for (let failures = 0; ;) {
    try {
      const answer = await send(api, {
        path: '/work-items/claim',
        body: {
          worker_id: workerId,
          queue_types: queueTypes,
          tools: Object.keys(handlers),
          wait_ms: WAIT_MS,
        },
        timeoutMs: WAIT_MS + ANSWER_MS_MAX,
        // Should an item be given out at the very moment of the stop, its lease lapses and somebody
        // else gets it.
        signal: stopping,
      });
      if (answer.status !== 200) throw refusal(answer);
      if (failures > 0) log('the runtime answers again');
      return answer.body['claimed'] === true
        ? (answer.body['work_item'] as unknown as WorkItem)
        : null;
    } catch (error) {
      if (stopping.aborted) return null;
      if (!(error instanceof NoAnswerError)) throw error;
      failures += 1;
      if (failures === 1) log(`cannot claim, trying again: ${error.message}`);
      await rest({ failures, atLeastMs: error.retryAfterMs, signal: stopping });
    }
  }
}

async function workOn(item: WorkItem, options: WorkerOptions): Promise<void> {
  const { api, workerId, handlers, log } = options;
  const tool = `${item.payload.module}.${item.payload.function}`;
  const name = `${tool} ${item.execution_id} ${item.node_id} attempt ${item.attempt}`;
  const startedAt = performance.now();
  const lease = keepLease({ api, workerId, item });
  try {
    const handler = handlers[tool];
    if (handler === undefined) {
      // A runtime that knows no `tools` hands out the items of others too.
      log(`${name}: ${await release({ api, item, lost: lease.lost })}`);
      return;
    }
    log(`${name}: started`);
    const result = await Promise.race([
      call({ api, item, handler, signal: lease.lost }),
      lease.whenLost,
    ]);
    const durationMs = Math.round(performance.now() - startedAt);
    if (result === null) log(`${name}: abandoned, ${why(lease.lost)}`);
    else {
      const outcome = await settle({ api, item, result, durationMs, lost: lease.lost });
      log(`${name}: ${outcome}, took ${durationMs} ms`);
    }
  } finally {
    lease.release();
  }
}

type Result =
  { readonly ok: true; readonly output: JsonObject } | ({ readonly ok: false } & Failure);

interface Failure {
  readonly error: string;
  /** For `retryable_on` and `non_retryable_on` of the node's retry policy. */
  readonly errorClass: string;
}

/** Never rejects. */
async function call(params: {
  readonly api: Api;
  readonly item: WorkItem;
  readonly handler: Handler;
  readonly signal: AbortSignal;
}): Promise<Result> {
  const { api, item, handler, signal } = params;
  const { input } = item.payload;
  try {
    const output = await handler(input, {
      idempotencyKey: item.idempotency_key ?? item.id,
      attempt: item.attempt,
      executionId: item.execution_id,
      nodeId: item.node_id,
      signal,
      upload: (body, contentType) => uploadArtifact(api, { body, contentType, signal }),
    });
    // An output that cannot be sent fails the attempt, as an error does.
    JSON.stringify(output);
    return { ok: true, output };
  } catch (error) {
    return error instanceof Error
      ? { ok: false, error: error.message, errorClass: error.name }
      : { ok: false, error: String(error), errorClass: 'error' };
  }
}

/** Hands the result in, as often as it takes to get an answer; returns the outcome in words. */
async function settle(params: {
  readonly api: Api;
  readonly item: WorkItem;
  readonly result: Result;
  readonly durationMs: number;
  readonly lost: AbortSignal;
}): Promise<string> {
  const { api, item, result, durationMs, lost } = params;
  if (!result.ok) return fail({ api, item, failure: result, lost });
  const request = {
    path: `/work-items/${item.id}/complete`,
    body: {
      execution_id: item.execution_id,
      node_id: item.node_id,
      output: result.output,
      state_patch: {},
      duration_ms: durationMs,
      lease_fence: item.lease_fence,
      ...(item.idempotency_key !== undefined && { idempotency_key: item.idempotency_key }),
    },
    timeoutMs: ANSWER_MS_MAX,
  };
  const answer = await sendUntilAnswered(api, request, lost);
  if (answer === null) return `abandoned, ${why(lost)}`;
  if (answer.status === 200) return 'completed';
  if (answer.status === 409 || answer.status === 404) return `left as it is, ${answer.reason}`;
  // These are about the output itself, which no repetition mends: too big, or not JSON enough.
  if (answer.status === 400 || answer.status === 413) {
    const failure = { error: answer.reason, errorClass: 'invalid_output' };
    return fail({ api, item, failure, lost });
  }
  throw refusal(answer);
}

async function fail(params: {
  readonly api: Api;
  readonly item: WorkItem;
  readonly failure: Failure;
  readonly lost: AbortSignal;
}): Promise<string> {
  const { api, item, failure, lost } = params;
  const { error, errorClass } = failure;
  const request = {
    path: `/work-items/${item.id}/fail`,
    body: { error, error_class: errorClass, lease_fence: item.lease_fence },
    timeoutMs: ANSWER_MS_MAX,
  };
  const answer = await sendUntilAnswered(api, request, lost);
  if (answer === null) return `abandoned, ${why(lost)}`;
  if (answer.status === 409 || answer.status === 404) return `left as it is, ${answer.reason}`;
  if (answer.status !== 200) throw refusal(answer);
  return `failed (${error}) and ${answer.body['retryable'] === true ? 'will be tried again' : 'given up'}`;
}

/** Gives back what is not this worker's to do: no attempt is used. */
async function release(params: {
  readonly api: Api;
  readonly item: WorkItem;
  readonly lost: AbortSignal;
}): Promise<string> {
  const { api, item, lost } = params;
  const request = {
    path: `/work-items/${item.id}/release`,
    body: { lease_fence: item.lease_fence },
    timeoutMs: ANSWER_MS_MAX,
  };
  const answer = await sendUntilAnswered(api, request, lost);
  if (answer === null) return `abandoned, ${why(lost)}`;
  if (answer.status === 409 || answer.status === 404) return `left as it is, ${answer.reason}`;
  if (answer.status !== 200) throw refusal(answer);
  return 'given back, as this worker has no such tool';
}

function why(lost: AbortSignal): string {
  return (lost.reason as Error).message;
}

/** The token, its role or the program is wrong: nothing that another try would change. */
function refusal(answer: Answer): Error {
  return new Error(`the runtime refused: ${answer.reason} (HTTP status ${answer.status})`);
}
