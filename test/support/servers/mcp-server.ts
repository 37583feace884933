import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import { startHttpServer, type LocalServer } from './http-server.ts';
import { createToolServer, type SeenCall } from './mcp-tools.ts';

export interface TestMcpServer extends LocalServer {
  readonly calls: readonly SeenCall[];
  /** Forgets all sessions, like a restart. */
  forgetSessions(): void;
}

/**
 * An MCP server of the official SDK over streamable HTTP: either both revisions without sessions,
 * or the revision of 2025 with sessions. When `admit` returns a status, the server answers with
 * that.
 */
export async function startMcpServer(
  options: {
    readonly sessions?: boolean;
    readonly admit?: (request: IncomingMessage) => number | null;
    /** The tool answers after this has finished. */
    readonly onCall?: (call: SeenCall) => void | Promise<void>;
  } = {},
): Promise<TestMcpServer> {
  const calls: SeenCall[] = [];
  const create = () =>
    createToolServer((call) => {
      calls.push(call);
      return options.onCall?.(call);
    });
  const stateless = createMcpHandler(create);
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const answer = async (request: Request): Promise<Response> => {
    if (options.sessions !== true) return stateless.fetch(request);
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (known !== undefined) return known.handleRequest(request);
    if (id !== null) return new Response(null, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await create().connect(transport);
    return transport.handleRequest(request);
  };
  const server = await startHttpServer((incoming, outgoing) => {
    const status = options.admit?.(incoming) ?? null;
    if (status === null) void respond(incoming, outgoing, answer);
    else outgoing.writeHead(status).end('secret detail');
  });
  return { ...server, calls, forgetSessions: () => sessions.clear() };
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const { method = 'GET' } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const left = new AbortController();
  outgoing.once('close', () => left.abort());
  const response = await answer(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method,
      headers: incoming.headers as Record<string, string>,
      signal: left.signal,
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else
    Readable.fromWeb(response.body as never)
      .pipe(outgoing)
      .on('error', () => undefined);
}
