import type { ExecutionEvent } from './wire.ts';
import { SvcError } from './errors.ts';
import { readEventStream } from './event-stream.ts';
import { explainNoAnswer, explainRefusal, foreignService } from './explain-failure.ts';
import type { OpenAnswer, Transport } from './transport.ts';
import { createOutage } from './outage.ts';

/** The service sends a comment every 15 seconds, so silence of this length is a dead connection. */
const IDLE_MS = 45_000;

export interface FollowEvents {
  /** Only events with a greater sequence; 0 when absent. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/**
 * The events of an execution as they are recorded, up to the last one. A broken stream is opened
 * again with `Last-Event-ID`, so that every event comes once and in order.
 */
export async function* followEvents(
  transport: Transport,
  executionId: string,
  { after = 0, signal }: FollowEvents = {},
): AsyncGenerator<ExecutionEvent, void, undefined> {
  const outage = createOutage(transport.environment, signal ?? null);
  let last = after;
  for (;;) {
    try {
      const open = await openStream(transport, { executionId, last, signal });
      if (open === null) return;
      for await (const event of readEvents(transport, open)) {
        outage.recovered();
        if (event.sequence <= last) continue;
        last = event.sequence;
        yield event;
        if (TERMINAL_KINDS.has(event.kind)) return;
      }
      await outage.rest();
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      await outage.endure(error);
    }
  }
}

/** Nothing follows one of these. */
const TERMINAL_KINDS: ReadonlySet<string> = new Set([
  'WorkflowCompleted',
  'WorkflowFailed',
  'WorkflowCancelled',
]);

/** Null: the execution has ended, and everything has been received. */
async function openStream(
  transport: Transport,
  of: {
    readonly executionId: string;
    readonly last: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<OpenAnswer | null> {
  const { executionId, last, signal } = of;
  const open = await transport.open('read-events', {
    path: { id: executionId },
    headers: {
      accept: 'text/event-stream',
      ...(last > 0 && { 'last-event-id': String(last) }),
    },
    idleMs: IDLE_MS,
    ...(signal !== undefined && { signal }),
  });
  const { response, link } = open;
  const type = response.headers.get('content-type') ?? 'nothing';
  if (response.status !== 204 && type.startsWith('text/event-stream')) return open;
  link.abort();
  link.release();
  if (response.status === 204) return null;
  throw foreignService(transport.target(), `${type} for an event stream`);
}

async function* readEvents(
  transport: Transport,
  { response, link }: OpenAnswer,
): AsyncGenerator<ExecutionEvent> {
  try {
    if (response.body === null) return;
    for await (const message of readEventStream(response.body, link.restart)) {
      if (message.type === 'error') {
        const refusal = JSON.parse(message.data) as { error: string; status: number };
        throw explainRefusal(transport.target(), refusal);
      }
      yield JSON.parse(message.data) as ExecutionEvent;
    }
  } catch (error) {
    throw error instanceof SvcError ? error : explainNoAnswer(transport.target(), error);
  } finally {
    link.abort();
    link.release();
  }
}
