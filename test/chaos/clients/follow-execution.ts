import { setTimeout as delay } from 'node:timers/promises';

import { readEventStream } from '../../../src/shared/clients/svc/event-stream.ts';
import { isTerminalEvent, type WireEvent } from '../../../src/shared/clients/svc/wire.ts';
import type { Dice } from '../../simulation/dice.ts';
import type { Client } from './ask-service.ts';
import type { Book } from './book.ts';

/** An execution may wait for longer than a run takes. */
const FOLLOW_MS_MAX = 30_000;
const REST_MS = { min: 100, max: 1_000 };

export type Follow = (by: Client, executionId: string) => Promise<void>;

/**
 * Follows the events of an execution to its end. A stream that breaks is opened again after the last
 * event, at any of the APIs. All of it is one operation, which has an answer only if the end came.
 */
export function createFollow(params: {
  readonly urls: readonly string[];
  readonly dice: Dice;
  readonly book: Book;
  readonly over: AbortSignal;
}): Follow {
  const { urls, dice, book, over } = params;
  return async ({ client, tenantId, token }, executionId) => {
    const operation = book.begin({ client, tenantId, asks: { do: 'follow', executionId } });
    const signal = AbortSignal.any([over, AbortSignal.timeout(FOLLOW_MS_MAX)]);
    const events: WireEvent[] = [];
    let streams = 0;
    while (!signal.aborted) {
      const before = events.length;
      const url = `${dice.pick(urls)}/executions/${executionId}/events`;
      const end = await follow(url, { token, events, signal }).catch(() => 'broken');
      if (events.length > before) streams += 1;
      if (end === 'absent') return void operation.answer({ status: 404, body: {} });
      if (end === 'complete') {
        return void operation.answer({ status: 200, body: { events, streams } as never });
      }
      await delay(dice.between(REST_MS.min, REST_MS.max));
    }
    operation.giveUp(`${events.length} events came over ${streams} streams`);
  };
}

const NO_STREAM: Readonly<Record<number, 'complete' | 'absent'>> = {
  204: 'complete',
  404: 'absent',
};

/** Adds to `events` each that arrives over one stream. */
async function follow(
  url: string,
  given: { readonly token: string; readonly events: WireEvent[]; readonly signal: AbortSignal },
): Promise<'complete' | 'broken' | 'absent'> {
  const { token, events, signal } = given;
  const last = events.at(-1);
  const response = await fetch(url, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(last !== undefined && { 'last-event-id': String(last.sequence) }),
    },
    signal,
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    return NO_STREAM[response.status] ?? 'broken';
  }
  for await (const { type, data } of readEventStream(response.body)) {
    if (type === 'error') return 'broken';
    const event = JSON.parse(data) as WireEvent;
    events.push(event);
    if (isTerminalEvent(event)) return 'complete';
  }
  return 'broken';
}
