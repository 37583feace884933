import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

import { startHttpServer } from './servers/http-server.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (
  request: SeenRequest,
  response: ServerResponse,
  count: number,
) => void | Promise<void>;

export interface Shop {
  readonly url: string;
  /** In the order of arrival, with bodies. */
  readonly requests: readonly SeenRequest[];
  /** Applies from the next request. */
  answer(answer: Answer): void;
  close(): Promise<void>;
}

/** An external service that HTTP tools call; it answers `{"ok": true}` by default. */
export async function startShop(): Promise<Shop> {
  const requests: SeenRequest[] = [];
  let current: Answer = (_, response) => sendJson(response, { ok: true });
  const server = await startHttpServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      requests.push(request);
      return current(request, response, requests.length);
    });
  });
  return {
    url: server.url,
    requests,
    answer(answer) {
      current = answer;
    },
    close: () => server.close(),
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = '', url: path = '', headers } = incoming;
  return { method, path, headers, body: Buffer.concat(chunks).toString() };
}
