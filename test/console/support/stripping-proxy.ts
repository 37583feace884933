import { request } from 'node:http';

import { startHttpServer, type LocalServer } from '../../support/servers/http-server.ts';

/**
 * A proxy as many put before a service: it serves one prefix, strips it, and names the service
 * itself in `Host`.
 */
export function startStrippingProxy(params: {
  readonly prefix: string;
  readonly target: string;
}): Promise<LocalServer> {
  const { prefix, target } = params;
  const { hostname, port, host } = new URL(target);
  return startHttpServer((incoming, answer) => {
    const path = incoming.url ?? '';
    if (!path.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const forwarded = request(
      {
        hostname,
        port,
        method: incoming.method,
        path: path.slice(prefix.length),
        headers: { ...incoming.headers, host },
      },
      (received) => {
        answer.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(answer);
      },
    );
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
}
