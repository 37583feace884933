import type { ServerResponse } from 'node:http';

import type { EventsFollower } from '../../../shared/engine/executions/followed-events.ts';
import { type EventPage, readEvents } from '../../../shared/engine/executions/read-execution.ts';
import type { SvcError } from '../../../shared/domain/errors.ts';
import type { ExecutionId } from '../../../shared/domain/ids.ts';
import type { EndpointDeps } from '../../deps.ts';
import type { ApiRequest, Caller, LiveAnswer } from '../../endpoint.ts';
import type { LongAnswer } from '../../watch-callers.ts';
import { shapeEvent } from './event-shape.ts';

/** Events read at a time, so that a long history never stands in memory whole. */
export const STREAM_PAGE_EVENTS = 500;

export interface EventStreamParams {
  readonly request: ApiRequest<{ readonly id: string }, unknown, unknown>;
  readonly deps: EndpointDeps;
  /** The events after `after`, as read already. */
  readonly first: EventPage;
  readonly after: number;
}

/**
 * The text of a live event stream (WHATWG HTML, "Server-sent events").
 *
 * The stream ends after the execution's last event; when the server begins to close or the database
 * goes away, the client comes again with Last-Event-ID and loses nothing; and when the caller would
 * no longer be let in, which the last message says, of the type `error`.
 *
 * A process holds many quiet streams for long, so one is an object without closures, listeners or
 * promises of its own while it waits.
 */
export function streamEvents(params: EventStreamParams): LiveAnswer {
  return {
    open(response) {
      const stream = new EventStream(params, response);
      stream.begin(params.first);
      params.request.watch(stream);
    },
  };
}

class EventStream implements EventsFollower, LongAnswer {
  after: number;
  readonly executionId: ExecutionId;
  readonly #deps: EndpointDeps;
  readonly #caller: Caller;
  readonly #requestId: string;
  readonly #response: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;
  #isSending = false;
  /** There may be events that the page being sent lacks. */
  #hasMore = false;
  #isOver = false;

  constructor({ request, deps, first, after }: EventStreamParams, response: ServerResponse) {
    this.after = after;
    this.executionId = first.executionId;
    this.#deps = deps;
    this.#caller = request.caller;
    this.#requestId = request.requestId;
    this.#response = response;
    this.#heartbeat = setTimeout(beat, deps.settings.streamHeartbeatMs, this);
  }

  begin(first: EventPage): void {
    // Sent at once, so that the client knows that the stream is open.
    this.#write(': events\nretry: 1000\n\n');
    void this.#send(first);
  }

  onNews(): void {
    this.#hasMore = true;
    if (!this.#isSending) void this.#send(null);
  }

  onFailure(error: unknown): void {
    if (this.#isOver) return;
    const ids = { request_id: this.#requestId, execution_id: this.executionId };
    this.#deps.log.warn({ ...ids, err: error }, 'event stream ended early');
    this.#end();
  }

  abandon(refusal: SvcError | null): void {
    if (refusal !== null) this.#write(sayRefusal(refusal));
    this.#end();
  }

  beat(): void {
    if (this.#isSending) this.#heartbeat.refresh();
    else this.#write(': waiting\n\n');
  }

  async #send(first: EventPage | null): Promise<void> {
    this.#isSending = true;
    try {
      if (first !== null) await this.#sendPage(first);
      while (this.#hasMore && !this.#isOver) {
        this.#hasMore = false;
        const page = await this.#read();
        // Another page may follow one with events.
        if (page.events.length > 0) this.#hasMore = true;
        await this.#sendPage(page);
      }
      if (first !== null && !this.#isOver) this.#deps.engine.followedEvents.follow(this);
    } catch (error) {
      this.onFailure(error);
    } finally {
      this.#isSending = false;
    }
  }

  #read(): Promise<EventPage> {
    return readEvents(this.#deps.engine, this.#caller, {
      executionId: this.executionId,
      after: this.after,
      limit: STREAM_PAGE_EVENTS,
    });
  }

  async #sendPage({ events, ended }: EventPage): Promise<void> {
    for (const event of events) {
      if (this.#isOver) return;
      this.after = event.sequence;
      const data = JSON.stringify(shapeEvent(this.executionId, event));
      if (!this.#write(`id: ${event.sequence}\ndata: ${data}\n\n`)) await drained(this.#response);
    }
    if (ended) this.#end();
  }

  /** False: the client has to read first. */
  #write(text: string): boolean {
    if (this.#isOver || this.#response.destroyed) return true;
    this.#heartbeat.refresh();
    return this.#response.write(text);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#heartbeat);
    this.#deps.engine.followedEvents.leave(this);
    if (!this.#response.destroyed) this.#response.end();
  }
}

function beat(stream: EventStream): void {
  stream.beat();
}

function sayRefusal({ message, status }: SvcError): string {
  return `event: error\ndata: ${JSON.stringify({ error: message, status })}\n\n`;
}

/** Resolves when the client has read, or its connection has ended. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.once('drain', settle);
    response.once('close', settle);
  });
}
