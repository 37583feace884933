import type { IncomingMessage, ServerResponse } from 'node:http';

import { startHttpServer, type LocalServer } from './http-server.ts';

/**
 * An MCP server over the transport of 2024: one stream of events carries the answers, and clients
 * post requests to an address that the stream names. The SDK still has clients for it, but no
 * server. Its tools answer with their own name.
 */
export async function startSseServer(): Promise<LocalServer> {
  const streams = new Map<string, ServerResponse>();
  return startHttpServer((request, response) => {
    if (request.method !== 'GET') {
      void readJson(request).then((message) => {
        response.writeHead(202).end();
        const answer = answerTo(message);
        if (answer !== null) streams.get(request.url ?? '')?.write(event('message', answer));
      });
      return;
    }
    const path = `/messages/${streams.size}`;
    streams.set(path, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('endpoint', path));
  });
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

function answerTo({ id, method, params }: Message): object | null {
  if (id === undefined) return null;
  const head = { jsonrpc: '2.0', id };
  if (method === 'initialize') {
    const serverInfo = { name: 'sse', version: '1.0.0' };
    const result = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo };
    return { ...head, result };
  }
  if (method === 'tools/call') {
    return { ...head, result: { content: [{ type: 'text', text: params?.name }] } };
  }
  return { ...head, error: { code: -32601, message: 'no such method' } };
}

function event(name: string, data: string | object): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `event: ${name}\ndata: ${text}\n\n`;
}

async function readJson(request: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Message;
}
