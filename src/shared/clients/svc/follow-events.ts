import { setTimeout as delay } from 'node:timers/promises';

import { readEventStream } from './event-stream.ts';
import {
  ApiError,
  ApiUnreachableError,
  ForeignServiceError,
  sendRequest,
  type ApiTarget,
} from './request.ts';
import { isTerminalEvent, type WireEvent } from './wire.ts';

/*
 * Follows an execution's events to the last one. The stream may break at any moment (a restart, a
 * proxy's time limit): it is opened again with `Last-Event-ID`, so every event is yielded once and
 * in order. A runtime that stays away for RECONNECT_MS_MAX ends it with the last error, and an
 * answer that will not change by asking again (401, 404, …) ends it at once. The first connection
 * is not retried: a runtime that isn't there should be reported and not waited for.
 */

const RECONNECT_MS_MAX = 60_000;
const DELAY_MS_MIN = 100;
const DELAY_MS_MAX = 5_000;

export interface FollowEvents {
  readonly executionId: string;
  /** Only events with a greater sequence. */
  readonly after: number;
  readonly signal?: AbortSignal;
  /** Told each time the stream has broken and is about to be opened again. */
  readonly onReconnect?: (reason: string) => void;
}

export async function* followEvents(
  target: ApiTarget,
  params: FollowEvents,
): AsyncGenerator<WireEvent> {
  let last = params.after;
  let wasOpen = false;
  let delayMs = DELAY_MS_MIN;
  let aliveAt = performance.now();
  for (;;) {
    try {
      const body = await openStream(target, params, last);
      if (body === null) return;
      wasOpen = true;
      for await (const message of readEventStream(body)) {
        aliveAt = performance.now();
        delayMs = DELAY_MS_MIN;
        if (message.type === 'error') throw readRefusal(message.data);
        const event = JSON.parse(message.data) as WireEvent;
        // A repeated event is possible when the runtime ignores Last-Event-ID.
        if (event.sequence <= last) continue;
        last = event.sequence;
        yield event;
        if (isTerminalEvent(event)) return;
      }
      params.onReconnect?.('the stream ended before the execution');
    } catch (error) {
      const isBroken = isWorthRetrying(error) && params.signal?.aborted !== true;
      if (!wasOpen || !isBroken || performance.now() - aliveAt > RECONNECT_MS_MAX) throw error;
      params.onReconnect?.(error instanceof Error ? error.message : String(error));
    }
    await delay(delayMs, undefined, params.signal === undefined ? {} : { signal: params.signal });
    delayMs = Math.min(delayMs * 2, DELAY_MS_MAX);
  }
}

/** Null: the execution has ended and everything has been received. */
async function openStream(
  target: ApiTarget,
  params: FollowEvents,
  last: number,
): Promise<AsyncIterable<Uint8Array> | null> {
  const response = await sendRequest(target, {
    method: 'GET',
    path: `/executions/${encodeURIComponent(params.executionId)}/events`,
    headers: {
      accept: 'text/event-stream',
      ...(last > 0 && { 'last-event-id': String(last) }),
    },
    ...(params.signal !== undefined && { signal: params.signal }),
  });
  if (response.status === 204) return null;
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !type.startsWith('text/event-stream')) {
    await response.body?.cancel();
    throw new ForeignServiceError(target.url, `it gave ${type || 'no body'} for an event stream`);
  }
  return readBody(target, response.body);
}

async function* readBody(
  target: ApiTarget,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new ApiUnreachableError(target.url, error);
  }
}

/** The runtime's last words: why it lets this client read no further. */
function readRefusal(data: string): ApiError {
  const { error, status } = JSON.parse(data) as { readonly error: string; readonly status: number };
  return new ApiError(status, error);
}

export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  return error instanceof ApiUnreachableError;
}
