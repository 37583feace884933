import {
  Agent,
  request as sendRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';

import { startHttpServer, type LocalServer } from '../support/servers/http-server.ts';

/*
 * The line from one worker to the runtime. It forwards requests, and can be cut at any of them:
 * before the runtime gets the request, or after it, so that the worker doesn't know the outcome.
 */

/** How the line treats a request. `lose` forwards it and drops the answer. */
export type Way = 'pass' | 'drop' | 'lose';

export interface Passage {
  readonly way: Way;
  /** Called when the request was answered, or is dropped. */
  readonly after: () => void;
}

/** `choose` gets the verb of each request: `steps`, `suspend`, `claim` … */
export function startProxy(
  target: string,
  choose: (verb: string) => Passage,
): Promise<LocalServer> {
  const agent = new Agent({ keepAlive: true });
  return startHttpServer((request, response) => {
    const verb = (request.url ?? '').split('?')[0]?.split('/').at(-1) ?? '';
    const { way, after } = choose(verb);
    if (way === 'drop') {
      after();
      response.destroy();
      return;
    }
    forward({ target, agent, request, response })
      .then(async (answer) => {
        if (way === 'pass') {
          const {
            connection: _connection,
            'transfer-encoding': _encoding,
            ...headers
          } = answer.headers;
          response.writeHead(answer.statusCode ?? 500, headers);
          answer.pipe(response);
          answer.once('error', () => response.destroy());
          return;
        }
        await buffer(answer);
        after();
        response.destroy();
      })
      .catch(() => response.destroy());
  });
}

async function forward(given: {
  readonly target: string;
  readonly agent: Agent;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}): Promise<IncomingMessage> {
  const { target, agent, request, response } = given;
  const body = await buffer(request);
  const {
    host: _host,
    connection: _connection,
    'transfer-encoding': _encoding,
    ...headers
  } = request.headers;
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      `${target}${request.url ?? ''}`,
      {
        method: request.method ?? 'GET',
        agent,
        headers: { ...headers, 'content-length': String(body.length) },
      },
      resolve,
    );
    sent.once('error', reject);
    // The worker hung up or died, so the claim needs no answer.
    response.once('close', () => {
      if (!response.writableEnded) sent.destroy();
    });
    sent.end(body);
  });
}
