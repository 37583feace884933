import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { freePort } from '../support/servers/ports.ts';

/** A proxy between a worker and the runtime that records exchanges, and can interfere. */
export interface RecordingProxy {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  /** Resolves with the first such exchange, past or future. */
  until(isIt: (exchange: Exchange) => boolean): Promise<Exchange>;
  /** Called before each request; null forwards the request. */
  interfere: (request: { readonly action: Action; readonly count: number }) => Interference | null;
  close(): void;
}

export type Action = 'claim' | 'heartbeat' | 'complete' | 'fail' | 'release';

/**
 * `lose_answer`: the runtime gets the request, the worker no answer · `without_tools`: removes the
 * field from a claim, as a runtime without it sees it.
 */
export type Interference =
  'lose_answer' | 'without_tools' | { readonly status: number; readonly body: object };

export interface Exchange {
  readonly action: Action;
  readonly body: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

export async function openRecordingProxy(
  target: string,
  /** Added to each request. */
  headers: Readonly<Record<string, string>> = {},
): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const waiting = new Set<(exchange: Exchange) => void>();
  const counts = new Map<Action, number>();

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const action = (request.url ?? '').split('/').at(-1) as Action;
    const body = await readText(request);
    const count = (counts.get(action) ?? 0) + 1;
    counts.set(action, count);
    const interference = proxy.interfere({ action, count });
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const isInvented = interference !== null && typeof interference !== 'string';
    const answer = isInvented
      ? Response.json(interference.body, { status: interference.status })
      : await fetch(target + request.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: interference === 'without_tools' ? withoutTools(body) : body,
          signal: gone.signal,
        });
    const text = await answer.text();
    const exchange = {
      action,
      body: JSON.parse(body) as Exchange['body'],
      status: answer.status,
      answer: JSON.parse(text) as Exchange['answer'],
    };
    exchanges.push(exchange);
    for (const tell of waiting) tell(exchange);
    if (interference === 'lose_answer') response.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }

  const server = createServer((request, response) => {
    // The worker aborted its claim.
    pass(request, response).catch(() => response.destroy());
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const proxy: RecordingProxy = {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    until: (isIt) =>
      new Promise((resolve) => {
        const check = (exchange: Exchange) => {
          if (!isIt(exchange)) return;
          waiting.delete(check);
          resolve(exchange);
        };
        waiting.add(check);
        exchanges.forEach(check);
      }),
    interfere: () => null,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return proxy;
}

function withoutTools(body: string): string {
  const { tools: _, ...rest } = JSON.parse(body) as { readonly tools?: unknown };
  return JSON.stringify(rest);
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) text += String(part);
  return text;
}
