import { createServer, type Server, type ServerOptions } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';

import type { Api } from './api.ts';
import { serveRequests } from './unparsed-requests.ts';

export interface ApiServer {
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
  readonly port: number;
  /** Serves on, but says on `/ready` that nobody else is to come. */
  leave(): void;
  /**
   * Accepts nothing more, ends long polls and streams, lets the rest finish, and cuts what is left
   * after the deadline. Resolves when every connection is gone.
   */
  close(params: { readonly deadlineMs: number }): Promise<void>;
}

export interface StartApiServer {
  readonly api: Api;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** A request must have arrived whole within this time, however slowly it trickles in. */
  readonly requestTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  /** Absent: plain HTTP, for loopback or behind something that terminates TLS. */
  readonly tls?: TlsFiles;
}

/** Contents in PEM. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  /**
   * Authorities that vouch for clients; null: clients are not asked for certificates. A connection
   * without a certificate, or with a foreign one, is still served: open routes need none, and every
   * other route checks it.
   */
  readonly clientAuthorities: string | null;
}

/** Listens, or throws an error whose message says what to do about it. */
export async function startApiServer(params: StartApiServer): Promise<ApiServer> {
  const { api, host } = params;
  const { tls } = params;
  const options: ServerOptions = {
    connectionsCheckingInterval: 1_000,
    headersTimeout: params.headersTimeoutMs ?? 10_000,
    requestTimeout: params.requestTimeoutMs ?? 30_000,
    // Longer than the idle timeout of common load balancers, so that they close first, and no
    // request meets a connection that is just being closed here.
    keepAliveTimeout: 65_000,
    // Answered by the API itself, as JSON.
    requireHostHeader: false,
  };
  const server = tls === undefined ? createServer(options) : await createTlsServer(options, tls);
  serveRequests(server, api.handle);
  await listen(server, params);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    leave: () => api.leave(),
    close: ({ deadlineMs }) => closeServer({ server, api, deadlineMs }),
  };
}

/** Loaded where it is needed: it brings all of TLS. */
async function createTlsServer(options: ServerOptions, tls: TlsFiles): Promise<Server> {
  const https = await import('node:https');
  return https.createServer({ ...options, ...tlsOptions(tls) });
}

function tlsOptions({ certificate, key, clientAuthorities }: TlsFiles): TlsOptions {
  return {
    cert: certificate,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_MS_MAX,
    ...(clientAuthorities !== null && {
      ca: clientAuthorities,
      requestCert: true,
      rejectUnauthorized: false,
    }),
  };
}

const HANDSHAKE_MS_MAX = 10_000;

async function listen(
  server: Server,
  at: { readonly host: string; readonly port: number },
): Promise<void> {
  server.listen({ host: at.host, port: at.port });
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
  const where = `cannot listen on ${host} port ${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${where}: another process uses it; stop that process, or choose another port with --port or SVC_PORT`;
    case 'EACCES':
      return `${where}: permission denied; ports below 1024 need privileges, choose a higher one with --port or SVC_PORT`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where}: this machine has no such address; set SVC_BIND to one of its own, or to 0.0.0.0`;
    default:
      return `${where}: ${error.message}`;
  }
}

const IDLE_SWEEP_MS = 50;

async function closeServer(params: {
  readonly server: Server;
  readonly api: Api;
  readonly deadlineMs: number;
}): Promise<void> {
  const { server, api, deadlineMs } = params;
  // First the listener, so that disconnected clients cannot come back to this process.
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  api.drain();
  const timer = setTimeout(() => server.closeAllConnections(), deadlineMs);
  // `server.close()` looks for idle connections once; those whose answer ends later, such as an
  // event stream's, would stay open until their callers leave.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
  await api.close();
}
