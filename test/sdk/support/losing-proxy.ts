import { startHttpServer, type LocalServer } from '../../support/servers/http-server.ts';

export interface LosingProxy extends LocalServer {
  /** Verbs of the requests whose answer was lost, as `steps`. */
  readonly lost: readonly string[];
}

/** The calls of a request: that of its path, and those that travel with it. */
function callsOf(
  url: string,
  text: string,
): readonly { readonly verb: string; readonly key: string }[] {
  const verb = url.split('?')[0]?.split('/').at(-1) ?? '';
  const { reports = [], ...rest } = readJson(text);
  const own = { verb, key: `${url} ${JSON.stringify(rest)}` };
  return [own, ...reports.map((one) => ({ verb: one.kind, key: JSON.stringify(one) }))];
}

function readJson(text: string): { readonly reports?: readonly { readonly kind: string }[] } {
  return text === '' ? {} : (JSON.parse(text) as object);
}

/**
 * Passes requests on to the runtime, and drops the answer to the first of each request about an item:
 * the runtime has done what was asked, and the worker does not know.
 */
export async function startLosingProxy(
  target: string,
  verbs: readonly string[],
  /** Called while the worker still waits for the answer. */
  beforeLoss: () => void = () => undefined,
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
      const fresh = callsOf(request.url ?? '', text).filter(({ key }) => !seen.has(key));
      for (const { key } of fresh) seen.add(key);
      const losing = fresh.flatMap(({ verb }) => (verbs.includes(verb) ? verb : []));
      if (losing.length === 0) {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
        return;
      }
      lost.push(...losing);
      beforeLoss();
      response.destroy();
    };
    pass().catch(() => response.destroy());
  });
  return Object.assign(server, { lost });
}
