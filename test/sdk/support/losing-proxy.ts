import { startHttpServer, type LocalServer } from '../../support/servers/http-server.ts';

export interface LosingProxy extends LocalServer {
  /** Verbs of the requests whose answer was lost, as `steps`. */
  readonly lost: readonly string[];
}

/**
 * Passes requests on to the runtime, and drops the answer to the first of each request about an item:
 * the runtime has done what was asked, and the worker does not know.
 */
export async function startLosingProxy(
  target: string,
  verbs: readonly string[],
): Promise<LosingProxy> {
  const lost: string[] = [];
  const seen = new Set<string>();
  const server = await startHttpServer((request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const pass = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString('utf8');
      const headers = new Headers();
      for (const name of ['authorization', 'content-type', 'x-tenant-id']) {
        const value = request.headers[name];
        if (typeof value === 'string') headers.set(name, value);
      }
      const answer = await fetch(target + request.url, {
        method: request.method ?? 'GET',
        headers,
        ...(text !== '' && { body: text }),
        signal: gone.signal,
      });
      const body = await answer.text();
      const verb = (request.url ?? '').split('?')[0]?.split('/').at(-1) ?? '';
      const isFirst = !seen.has(`${request.url} ${text}`);
      seen.add(`${request.url} ${text}`);
      if (!verbs.includes(verb) || !isFirst) {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
        return;
      }
      lost.push(verb);
      response.destroy();
    };
    pass().catch(() => response.destroy());
  });
  return Object.assign(server, { lost });
}
