import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

import { freePort } from '../../../support/servers/ports.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Handles one request; the last step of a script repeats for all further requests. */
export type Step = (answer: ServerResponse, seen: Seen) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

export const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  (to) => {
    const isText = typeof body === 'string';
    to.writeHead(status, {
      'content-type': isText ? 'text/html' : 'application/json; charset=utf-8',
      'x-request-id': 'req-1',
      ...headers,
    });
    to.end(isText ? body : JSON.stringify(body));
  };

/** Accepts the request, and loses the answer. */
export const lose: Step = (to) => void to.socket?.destroy();

/** Does nothing until the client leaves. */
export const hang: Step = () => undefined;

/** Sends the headers and half of the body, and then ends the connection. */
export const breakOff: Step = (to) => {
  to.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  to.write('{"executions":', () => to.socket?.destroy());
};

/** A real server on a loopback port that fails, hangs and loses answers by its script. */
export async function startScriptedServer(...script: readonly Step[]): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const step = script[Math.min(seen.length, script.length - 1)] ?? hang;
      const { method = '', url: path = '', headers } = request;
      const noted = { method, path, headers, body };
      seen.push(noted);
      step(response, noted);
    })().catch(() => response.destroy());
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
