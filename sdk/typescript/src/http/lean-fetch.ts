import type { Agent, IncomingMessage, request as openRequest } from 'node:http';

/*
 * `fetch` for the requests of this package, over `node:http`: Node's own takes three to five times the
 * processor time. Requests that it does not know are left to Node's: a body that is neither text nor
 * bytes, an answer that leads elsewhere, a proxy of the environment, a `fetch` that the program has
 * replaced. An answer is a real `Response`, and errors are those of `fetch`.
 *
 * Nothing of Node is imported, so that pages can import this package. Where Node's modules cannot be
 * had, the global `fetch` sends everything.
 */

const original = globalThis.fetch;

/** Free connections close before those of svc and of common proxies do, which would lose a request. */
const FREE_CONNECTION_MS = 4_000;
const POOL = { keepAlive: true, timeout: FREE_CONNECTION_MS };

interface Protocol {
  readonly open: typeof openRequest;
  readonly agent: Agent;
}

const node = openNode();

function openNode() {
  const host = globalThis as {
    readonly process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>>;
  };
  // Node has it since 20.16.
  const load = host.process?.getBuiltinModule;
  if (load === undefined) return null;
  const [http, https, { Readable }] = [load('node:http'), load('node:https'), load('node:stream')];
  const protocols: Readonly<Record<string, Protocol>> = {
    'http:': { open: http.request, agent: new http.Agent(POOL) },
    'https:': { open: https.request, agent: new https.Agent(POOL) },
  };
  return { protocols, toWeb: (message: IncomingMessage) => Readable.toWeb(message) };
}

/** A longer body is read as it comes. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

const NULL_BODIES: ReadonlySet<number> = new Set([204, 205, 304]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const send: typeof fetch = async (input, init = {}) => {
  const url = input instanceof Request ? null : readUrl(input);
  const { body = null } = init;
  const protocol = url === null ? null : protocolOf(url);
  if (url === null || protocol === null || !isPlain(body) || isReplaced()) {
    return globalThis.fetch(input, init);
  }
  const { signal } = init;
  signal?.throwIfAborted();
  try {
    const message = await exchange({ ...protocol, url, init, body });
    if (!isRedirect(message)) return await respond(message);
    message.resume();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new TypeError('fetch failed', { cause });
  }
  return globalThis.fetch(input, init);
};

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return REDIRECTS.has(statusCode) && headers.location !== undefined;
}

type Body = string | Uint8Array<ArrayBuffer> | null;

function isPlain(body: unknown): body is Body {
  return body === null || typeof body === 'string' || body instanceof Uint8Array;
}

/** Null: Node's `fetch` says what is wrong with it. */
function readUrl(input: string | URL): URL | null {
  if (!URL.canParse(String(input))) return null;
  const url = new URL(input);
  return url.username === '' && url.password === '' ? url : null;
}

function protocolOf({ protocol }: URL): Protocol | null {
  return node?.protocols[protocol] ?? null;
}

function isReplaced(): boolean {
  return globalThis.fetch !== original || process.env['NODE_USE_ENV_PROXY'] !== undefined;
}

interface Exchange extends Protocol {
  readonly url: URL;
  readonly init: RequestInit;
  readonly body: Body;
}

/** Resolves at the head of the answer. */
function exchange({ open, agent, url, init, body }: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, signal } = init;
    const request = open(url, {
      method,
      agent,
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        ...(body !== null && { 'content-length': Buffer.byteLength(body) }),
      },
      signal: signal ?? undefined,
    });
    request.on('response', resolve);
    request.on('error', reject);
    request.end(body ?? undefined);
  });
}

async function respond(message: IncomingMessage): Promise<Response> {
  const status = message.statusCode ?? 0;
  const head = { status, statusText: message.statusMessage ?? '', headers: headersOf(message) };
  if (NULL_BODIES.has(status)) {
    message.resume();
    return new Response(null, head);
  }
  const bytes = Number(message.headers['content-length'] ?? Infinity);
  const body =
    bytes <= BUFFERED_BYTES_MAX
      ? await readWhole(message)
      : (node?.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>);
  return new Response(body, head);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return headers;
}

function readWhole(message: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    message.on('data', (piece: Buffer) => pieces.push(piece));
    message.on('end', () =>
      resolve(pieces.length === 1 ? (pieces[0] as Buffer<ArrayBuffer>) : Buffer.concat(pieces)),
    );
    message.on('error', reject);
  });
}
