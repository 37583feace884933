import type { Client, jsonSchemaValidator, Transport } from '@modelcontextprotocol/client';

import { HttpError } from '../../domain/http-error.ts';
import { signalOf } from '../../security/guarded-fetch.ts';
import { createAuthorizedFetch } from '../authorized-fetch.ts';
import type { ResolvedServer } from './resolve-server.ts';

/** A connection to one server, ready for calls. */
export interface Session {
  readonly client: Client;
  /** The credentials that it received, by name, so that they can be removed from results. */
  readonly secrets: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export interface SessionDeps {
  /** Bounds bytes, and keeps redirects within the origin. */
  readonly fetch: typeof globalThis.fetch;
  readonly version: string;
  readonly now: () => number;
  readonly messageBytesMax: number;
}

/** The events of an open session, and the signal that aborts its opening. */
export interface SessionHandlers {
  readonly onClose: () => void;
  /** An error of a stream that calls may be waiting for. */
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

type OpenParams = SessionDeps & SessionHandlers & { readonly timeoutMs: number };

/** Opens a session. The SDK is loaded with the first one, so that others don't pay for it. */
export async function openSession(server: ResolvedServer, params: OpenParams): Promise<Session> {
  if (server.transport !== 'stdio') return connect(server, 'auto', params);
  // Asking for the revision first would start the command twice. Servers that have left those of 2025
  // behind say so.
  try {
    return await connect(server, 'legacy', params);
  } catch (error) {
    const isNewer = error instanceof Error && 'code' in error && error.code === UNKNOWN_REVISION;
    if (!isNewer) throw error;
    return connect(server, 'auto', params);
  }
}

/**
 * A server sends output schemas of its tools. The SDK would compile them, with their patterns, and
 * run them on the main thread. The workflow defines the schema of an answer instead, and the pool
 * checks it.
 */
const CHECKS_NOTHING: jsonSchemaValidator = {
  getValidator: () => (input) => ({
    valid: true,
    // Nothing reads it as that type.
    data: input as never,
    errorMessage: undefined,
  }),
};

async function connect(
  server: ResolvedServer,
  mode: 'auto' | 'legacy',
  params: OpenParams,
): Promise<Session> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client(
    { name: 'svc', version: params.version },
    {
      // Nothing is offered to servers: no sampling, no questions to people, no files.
      capabilities: {},
      versionNegotiation: { mode },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: CHECKS_NOTHING,
    },
  );
  const secrets = new Map<string, string>();
  const close = () => client.close();
  const { signal, timeoutMs: timeout } = params;
  // The SDK's clients take one handler each, and are no event targets.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- see above
  client.onerror = (error) => {
    params.onError(isTooLong(error) ? new HttpError('too_large', 'the server') : error);
  };
  const transport = await createTransport(server, { ...params, secrets });
  // The SDK asks for the revision without looking at a signal.
  const giveUp = () => void transport.close().catch(() => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect(transport, { signal, timeout });
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- see above
  client.onclose = params.onClose;
  return { client, secrets, close };
}

async function createTransport(
  server: ResolvedServer,
  params: OpenParams & { readonly secrets: Map<string, string> },
): Promise<Transport> {
  const { secrets } = params;
  if (server.transport === 'stdio') {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const [command, ...args] = server.command;
    for (const [name, value] of Object.entries(server.env)) secrets.set(name, value);
    // The SDK adds PATH, HOME and similar variables, and no others of this process. A server's
    // standard error may contain anything, so it is not read.
    return new StdioClientTransport({
      command,
      args,
      env: { ...server.env },
      stderr: 'ignore',
      maxBufferSize: params.messageBytesMax,
    });
  }
  const { StreamableHTTPClientTransport, SSEClientTransport } =
    await import('@modelcontextprotocol/client');
  const url = new URL(server.url);
  const fetch = createAuthorizedFetch({
    fetch: watchBodies(params.fetch, params.onError),
    auth: server.auth,
    origin: url.origin,
    readSecret: server.readSecret,
    onSecret: (name, value) => secrets.set(name, value),
    now: params.now,
  });
  if (server.transport === 'http_sse') return new SSEClientTransport(url, { fetch });
  return new StreamableHTTPClientTransport(url, { fetch: refuseStandingStreams(fetch) });
}

/**
 * Says no, as servers without one do, where the SDK would open a stream for what a server has to say
 * between calls: nothing is listened for, and no connection is held. Resuming a call's own stream goes
 * through.
 */
function refuseStandingStreams(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const request = new Request(input, init);
    const isStanding = request.method === 'GET' && !request.headers.has('last-event-id');
    if (isStanding) return Promise.resolve(new Response(null, { status: 405 }));
    return fetch(request, { signal: signalOf(input, init) });
  };
}

/** The SDK reports a failed stream only by a message, and keeps waiting for its answer. */
function watchBodies(
  fetch: typeof globalThis.fetch,
  onError: (error: unknown) => void,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const reader = response.body?.getReader();
    if (reader === undefined) return response;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            onError(error);
            controller.error(error);
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    const { status, headers, url } = response;
    return Object.defineProperty(new Response(body, { status, headers }), 'url', { value: url });
  };
}

/** The message of a broken pipe to a command; the SDK has no code for it. */
function isTooLong(error: Error): boolean {
  return error.message.startsWith('ReadBuffer exceeded');
}

/** `UnsupportedProtocolVersion` of the protocol. */
const UNKNOWN_REVISION = -32022;
