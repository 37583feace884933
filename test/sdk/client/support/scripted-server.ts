import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

import { freePort } from '../../../support/servers/ports.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the server does with one request; the last of a script is done with all that follow. */
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

/** The request was taken, and the answer is lost. */
export const lose: Step = (to) => void to.socket?.destroy();

/** Nothing, until the client leaves. */
export const hang: Step = () => undefined;

/** The headers and half of the body, and then the connection ends. */
export const breakOff: Step = (to) => {
  to.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  to.write('{"executions":', () => to.socket?.destroy());
};

/** A real server on a loopback port that fails, hangs and loses answers as it is told. */
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
