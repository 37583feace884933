import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';

import { freePort } from './ports.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

export interface Receiver {
  readonly url: string;
  /** In the order of arrival. */
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** A receiver that keeps each message and answers with the status that `answer` returns. */
export async function startReceiver(
  answer: (received: Received, count: number) => number | Promise<number> = () => 204,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const one = { headers: request.headers, text, body: JSON.parse(text) as Received['body'] };
      received.push(one);
      void Promise.resolve(answer(one, received.length)).then((status) => {
        response.writeHead(status).end();
      });
    });
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Verifies a signature by the text of the scheme, without the service's own code. */
export function isSigned({ headers, text }: Received, secret: string): boolean {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  const [version, given = ''] = String(headers['webhook-signature']).split(',');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest();
  const actual = Buffer.from(given, 'base64');
  const isEqual = actual.length === expected.length && timingSafeEqual(actual, expected);
  return version === 'v1' && isEqual && age < 300;
}
