import { setTimeout as delay } from 'node:timers/promises';

import { sendRequest, type HttpRequest, type Reply } from '../support/http.ts';

export interface Ask {
  /** Repeats the request until the runtime answers, because it may be dead at the moment. */
  <Body>(request: HttpRequest): Promise<Reply<Body>>;
}

const PAUSE_MS = 150;
const LONGEST_MS = 120_000;

export function createAsk(url: string, apiKey: string): Ask {
  return async <Body>(request: HttpRequest) => {
    const deadline = performance.now() + LONGEST_MS;
    for (;;) {
      try {
        const reply = await sendRequest<Body>(url, { token: apiKey, ...request });
        if (reply.status !== 429 && reply.status < 500) return reply;
        if (performance.now() > deadline) return reply;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
      await delay(PAUSE_MS);
    }
  };
}
