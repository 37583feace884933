import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';

import { freePort } from './ports.ts';

export interface LocalServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The requests that it received, in order. */
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

/** An external server, on a loopback address. With `unref` it keeps no process alive. */
export async function startHttpServer(
  answer: RequestListener,
  options: { readonly host?: string; readonly port?: number; readonly unref?: boolean } = {},
): Promise<LocalServer> {
  const { host = '127.0.0.1', port = await freePort() } = options;
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(port, host);
  await once(server, 'listening');
  if (options.unref === true) server.unref();
  return {
    port,
    url: `http://${host}:${port}`,
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers each of these paths with its JSON, and all others with 404. */
export function serveJson(documents: Readonly<Record<string, unknown>>): RequestListener {
  return (request, response) => {
    const document = documents[request.url ?? ''];
    response.setHeader('Content-Type', 'application/json');
    response.statusCode = document === undefined ? 404 : 200;
    response.end(JSON.stringify(document ?? { error: 'not found' }));
  };
}
