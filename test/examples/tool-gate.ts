import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';

import { freePort } from '../support/servers/ports.ts';

/**
 * Tools that the test controls: `nextCall` returns each call of `test.tool` in a worker, which
 * waits until the test decides its result or error.
 */
export interface ToolGate {
  /** A file with handlers, for a worker whose environment has `env`. */
  readonly handlersFile: string;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves with the next call. */
  nextCall(): Promise<ToolCall>;
  close(): void;
}

export interface ToolCall {
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly input: unknown;
  returns(output: unknown): void;
  throws(message: string): void;
  /** Resolves when the worker has aborted the call. */
  readonly abandoned: Promise<unknown>;
}

const HANDLERS = `
export const handlers = {
  'test.tool': async (input, call) => {
    const response = await fetch(process.env.GATE_URL, {
      method: 'POST',
      body: JSON.stringify({ input, attempt: call.attempt, idempotencyKey: call.idempotencyKey }),
      signal: call.signal,
    });
    if (!response.ok) throw new RangeError(await response.text());
    return response.json();
  },
};
`;

export async function openToolGate(folder: string): Promise<ToolGate> {
  const handlersFile = join(folder, 'gate-handlers.mjs');
  writeFileSync(handlersFile, HANDLERS);
  const arrived: ToolCall[] = [];
  const waiting: ((call: ToolCall) => void)[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const call = toCall(text, response);
      const next = waiting.shift();
      if (next === undefined) arrived.push(call);
      else next(call);
    });
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    handlersFile,
    env: { GATE_URL: `http://127.0.0.1:${port}` },
    nextCall() {
      const call = arrived.shift();
      return call === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(call);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function toCall(text: string, response: ServerResponse): ToolCall {
  const told = JSON.parse(text) as Pick<ToolCall, 'attempt' | 'idempotencyKey' | 'input'>;
  return {
    ...told,
    returns: (output) => void response.end(JSON.stringify(output)),
    throws: (message) => void response.writeHead(500).end(message),
    abandoned: once(response, 'close'),
  };
}
