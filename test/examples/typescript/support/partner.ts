import type { ExecutionContext } from 'ava';

import { startHttpServer } from '../../../support/servers/http-server.ts';

export interface Asked {
  /** For example `PUT /hotels/trip-1`. */
  readonly what: string;
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/**
 * An external HTTP API: it records the requests in order, and gives the test's answers; null:
 * never.
 */
export async function startPartner(
  t: ExecutionContext,
  answer: (asked: Asked) => Answer | null,
): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = await startHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const one = {
        what: `${request.method} ${request.url}`,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      };
      asked.push(one);
      const given = answer(one);
      if (given === null) return;
      const { status, body } = given;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body === undefined ? '' : JSON.stringify(body));
    });
  });
  t.teardown(() => server.close());
  return { url: server.url, asked };
}
