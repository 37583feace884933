import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OpsServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface OpsServerOptions {
  /** Loopback when not given: the listener asks for no token. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  readonly version: string;
  /** Null: there are no metrics, only probes. */
  readonly registry: {
    readonly contentType: string;
    metrics(): Promise<string>;
  } | null;
  /** Rejects when the database does not answer in time. */
  readonly ping: () => Promise<void>;
  /** Aborted when the process begins to stop. */
  readonly draining: AbortSignal;
  /** Health of the scheduler's loops, in processes that run them. */
  readonly loops?: () => readonly { readonly name: string; readonly stale: boolean }[];
}

/**
 * The listener for machines that watch the process: `/metrics`, `/health` (200 as long as the
 * process lives, or an outage of the database would have every process restarted) and `/ready`.
 * Plain node:http, apart from the API: it works in processes without one, and while the API is
 * overloaded. Rejects with a message that says what to do when the port cannot be had.
 */
export async function startOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  const host = options.host ?? '127.0.0.1';
  const readiness = createReadiness(options);
  const server = createServer({ headersTimeout: 5000, requestTimeout: 10_000 });
  server.maxConnections = CONNECTIONS_MAX;
  server.on('request', (request, response) => {
    answer({ request, response, options, readiness }).catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error);
      sendJson(response, 500, { error: `internal error: ${detail}` });
    });
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(MALFORMED);
    else socket.destroy();
  });
  await listen(server, { host, port: options.port });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const CONNECTIONS_MAX = 64;
const MALFORMED_BODY = JSON.stringify({ error: 'bad request: not a well-formed HTTP request' });
const MALFORMED = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${MALFORMED_BODY.length}`,
  'Connection: close',
  '',
  MALFORMED_BODY,
].join('\r\n');

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function answer(given: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly options: OpsServerOptions;
  readonly readiness: () => Promise<Answer>;
}): Promise<void> {
  const { request, response, options } = given;
  const method = request.method ?? '';
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  const { registry } = options;
  if (!PATHS.has(path) || (path === '/metrics' && registry === null)) {
    return sendJson(response, 404, { error: `not found: route ${method} ${path}` });
  }
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return sendJson(response, 405, { error: `method not allowed: ${method} ${path}` });
  }
  if (path === '/metrics' && registry !== null) {
    return send(response, 200, { type: registry.contentType, text: await registry.metrics() });
  }
  if (path === '/health') {
    return sendJson(response, 200, { status: 'ok', version: options.version });
  }
  const { status, body } = await given.readiness();
  sendJson(response, status, body);
}

const PATHS = new Set(['/metrics', '/health', '/ready']);

/** Probes that come while one is being answered share its answer, and so its one statement. */
function createReadiness(options: OpsServerOptions): () => Promise<Answer> {
  let current: Promise<Answer> | null = null;
  return () => {
    current ??= judge(options).finally(() => (current = null));
    return current;
  };
}

async function judge({ version, ping, draining, loops }: OpsServerOptions): Promise<Answer> {
  const db = await ping().then(
    () => 'connected',
    () => 'disconnected',
  );
  const stale = (loops?.() ?? []).filter((loop) => loop.stale).map(({ name }) => name);
  const body = { version, db, ...(stale.length > 0 ? { stale_loops: stale } : {}) };
  if (draining.aborted) return { status: 503, body: { status: 'draining', ...body } };
  if (db === 'disconnected' || stale.length > 0) {
    return { status: 503, body: { status: 'unavailable', ...body } };
  }
  return { status: 200, body: { status: 'ok', ...body } };
}

async function listen(
  server: Server,
  at: { readonly host: string; readonly port: number },
): Promise<void> {
  server.listen(at);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(explain(error as NodeJS.ErrnoException, at), { cause: error });
  }
}

function explain(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  const where = `cannot serve metrics and probes on ${host} port ${port}`;
  const another = 'choose another port with telemetry.metrics_port or SVC_TELEMETRY_METRICS_PORT';
  if (error.code === 'EADDRINUSE') return `${where}: another process uses it; ${another}`;
  if (error.code === 'EACCES') return `${where}: permission denied; ${another}`;
  return `${where}: ${error.message}`;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  send(response, status, { type: 'application/json; charset=utf-8', text });
}

function send(
  response: ServerResponse,
  status: number,
  content: { readonly type: string; readonly text: string },
): void {
  response.writeHead(status, {
    'Content-Type': content.type,
    'Content-Length': Buffer.byteLength(content.text),
    'Cache-Control': 'no-store',
  });
  response.end(content.text);
}
