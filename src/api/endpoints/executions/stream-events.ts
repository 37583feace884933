import { readEvents, waitForEvents } from '../../../shared/engine/executions/read-execution.ts';
import type { EventPage } from '../../../shared/engine/executions/read-execution.ts';
import type { SvcError } from '../../../shared/domain/errors.ts';
import type { EndpointDeps } from '../../deps.ts';
import type { ApiRequest } from '../../endpoint.ts';
import { refusalIn } from '../../watch-caller.ts';
import { shapeEvent } from './event-shape.ts';

/** Events read at a time, so that a long history never stands in memory whole. */
export const STREAM_PAGE_EVENTS = 500;

/**
 * The text of a live event stream (WHATWG HTML, "Server-sent events").
 *
 * Wake-ups are hints and may be lost, so every wait looks at the execution from time to time. The
 * stream ends after the execution's last event; when the server begins to close or the database
 * goes away, the client comes again with Last-Event-ID and loses nothing; and when the caller would
 * no longer be let in, which the last message says, of the type `error`.
 */
export async function* streamEvents(params: {
  readonly request: ApiRequest<{ readonly id: string }, unknown, unknown>;
  readonly deps: EndpointDeps;
  /** The events after `after`, as read already. */
  readonly first: EventPage;
  readonly after: number;
}): AsyncGenerator<string> {
  const { request, deps } = params;
  const abandoned = request.abandoned();
  const { executionId } = params.first;
  let { after, first: page } = params;
  // Sent at once, so that the client knows that the stream is open.
  yield ': events\nretry: 1000\n\n';
  try {
    while (!abandoned.aborted) {
      for (const event of page.events) {
        if (abandoned.aborted) break;
        after = event.sequence;
        yield `id: ${after}\ndata: ${JSON.stringify(shapeEvent(executionId, event))}\n\n`;
      }
      if (page.ended && !abandoned.aborted) return;
      if (page.events.length === 0) {
        // A wait begins with a look at the execution, so no page is read at a heartbeat.
        while (!(await waitForMore({ deps, executionId, after, abandoned }))) {
          if (abandoned.aborted) break;
          yield ': waiting\n\n';
        }
      }
      if (abandoned.aborted) break;
      page = await readEvents(deps.engine, request.caller, {
        executionId: request.params.id,
        after,
        limit: STREAM_PAGE_EVENTS,
      });
    }
    const refusal = refusalIn(abandoned);
    if (refusal !== null) yield sayRefusal(refusal);
  } catch (error) {
    const ids = { request_id: request.requestId, execution_id: executionId };
    deps.log.warn({ ...ids, err: error }, 'event stream ended early');
  }
}

function sayRefusal({ message, status }: SvcError): string {
  return `event: error\ndata: ${JSON.stringify({ error: message, status })}\n\n`;
}

/** False: nothing came until the next heartbeat is due. */
async function waitForMore(params: {
  readonly deps: EndpointDeps;
  readonly executionId: EventPage['executionId'];
  readonly after: number;
  readonly abandoned: AbortSignal;
}): Promise<boolean> {
  const { deps, executionId, after, abandoned } = params;
  const waiting = new AbortController();
  let timedOut = false;
  const stop = () => waiting.abort();
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, deps.settings.streamHeartbeatMs);
  abandoned.addEventListener('abort', stop, { once: true });
  try {
    await waitForEvents(deps.engine, { executionId, after, signal: waiting.signal });
    return !timedOut;
  } finally {
    clearTimeout(timer);
    abandoned.removeEventListener('abort', stop);
  }
}
