import { setTimeout as delay } from 'node:timers/promises';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { Answer, Ask } from '../../invariants/history.ts';
import type { Dice } from '../../simulation/dice.ts';
import { sendRequest, type HttpRequest } from '../../support/http.ts';
import type { Book } from './book.ts';
import { createFollow, type Follow } from './follow-execution.ts';

/** A client of one tenant, with a token of that tenant. */
export interface Client {
  readonly client: string;
  readonly tenantId: string;
  readonly token: string;
}

/** A request, as the history records it and as HTTP carries it. */
export interface Request {
  readonly asks: Ask;
  readonly http: Omit<HttpRequest, 'token' | 'signal'>;
  /** The client waits this long; longer than the service may delay the answer. */
  readonly answerMsMax?: number;
}

/** The service as its clients reach it. */
export interface Service {
  /** Sends once, to any of the APIs; null: no answer came, so the outcome is unknown. */
  ask(by: Client, request: Request): Promise<Answer | null>;
  /** Sends until an answer reports the outcome; null: `giveUp` came first. */
  insist(by: Client, request: Request): Promise<Answer | null>;
  readonly follow: Follow;
  /** From then on, every pending `insist` gives up after its current attempt, and every `follow` at once. */
  giveUp(): void;
}

const ANSWER_MS_MAX = 5_000;
const REST_MS = { min: 50, max: 1_000 };

export function connectTo(params: {
  readonly urls: readonly string[];
  readonly dice: Dice;
  readonly book: Book;
}): Service {
  const { urls, dice, book } = params;
  const giving = new AbortController();

  async function ask(by: Client, request: Request): Promise<Answer | null> {
    const { client, tenantId, token } = by;
    const { asks, http, answerMsMax = ANSWER_MS_MAX } = request;
    const operation = book.begin({ client, tenantId, asks });
    try {
      const signal = AbortSignal.timeout(answerMsMax);
      const reply = await sendRequest<JsonObject | null>(dice.pick(urls), {
        ...http,
        token,
        signal,
      });
      const retryAfter = reply.headers.get('Retry-After');
      return operation.answer(
        { status: reply.status, body: reply.body ?? {} },
        retryAfter === null ? {} : { retryAfter },
      );
    } catch (error) {
      operation.giveUp(reasonOf(error));
      return null;
    }
  }

  return {
    ask,
    follow: createFollow({ urls, dice: dice.fork('streams'), book, over: giving.signal }),
    giveUp: () => giving.abort(),
    insist: async (by, request) => {
      for (let restMs = REST_MS.min; ; restMs = Math.min(restMs * 2, REST_MS.max)) {
        const answer = await ask(by, request);
        if (answer !== null && !isUnknown(answer)) return answer;
        if (giving.signal.aborted) return null;
        await delay(restMs * (0.5 + dice.fraction() / 2));
      }
    },
  };
}

/**
 * How long a client rests before it asks again: longer each time it gets no answer. Otherwise
 * clients of a slow service ask more and more, and leave it no time to answer anybody.
 */
export function nextRestMs(restMs: number, answer: Answer | null, usualMs: number): number {
  const isLost = answer === null || answer.status >= 500;
  return isLost ? Math.min(restMs * 2, LOST_REST_MS_MAX) : usualMs;
}

const LOST_REST_MS_MAX = 4_000;

/** The answer does not report the outcome, or asks the client to send again. */
function isUnknown({ status }: Answer): boolean {
  return status >= 500 || status === 408 || status === 429;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
