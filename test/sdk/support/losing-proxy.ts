import { startHttpServer, type LocalServer } from '../../support/servers/http-server.ts';

export interface LosingProxy extends LocalServer {
  /** Verbs of the requests whose answer was lost, such as `steps`. */
  readonly lost: readonly string[];
}

interface Call {
  readonly verb: string;
  /** Identifies a call across repetitions, alone or with others. */
  readonly key: string;
}

/** The calls of a request: the one of its path, and those in its body. */
function callsOf(url: string, text: string): readonly Call[] {
  const [path = ''] = url.split('?');
  const [, itemId = '', verb = itemId] = path.split('/').filter((part) => part !== '');
  const { reports = [], worker_id: _, ...own } = readJson(text);
  return [
    callOf(verb, { item: itemId, ...own }),
    ...reports.map(({ kind, work_item_id: id, ...rest }) => callOf(kind, { item: id, ...rest })),
  ];
}

function callOf(verb: string, of: object): Call {
  return { verb, key: `${verb} ${JSON.stringify(of)}` };
}

interface Body {
  readonly worker_id?: string;
  readonly reports?: readonly { readonly kind: string; readonly work_item_id: string }[];
}

function readJson(text: string): Body {
  return text === '' ? {} : (JSON.parse(text) as Body);
}

/**
 * Forwards requests to the runtime, and drops the first answer to each call about an item. The
 * runtime has executed the call, and the worker does not know.
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
