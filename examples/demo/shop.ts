import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { findFreePort } from './find-free-port.ts';

/*
 * The world outside: the shop's stock, payment and parcel systems, as one small HTTP server. Like
 * most such systems it takes an `Idempotency-Key` and acts once for each key, however often it is
 * asked. Its book of calls is the demo's witness: it knows nothing of workflows.
 */

export interface Shop {
  readonly url: string;
  readonly calls: readonly ShopCall[];
  /** From now on, calls of this tool are taken down and done, but their answer is held back. */
  hold(tool: string): void;
  /** Sends the answers that were held back, to callers that still wait. */
  release(tool: string): void;
  close(): void;
}

export interface ShopCall {
  readonly tool: string;
  readonly idempotencyKey: string;
  /** The effect of this call, or of the first call with its key. */
  readonly effect: string;
  /** False: the key was known, so nothing was done again. */
  readonly isFirst: boolean;
}

const EFFECTS: Readonly<Record<string, string>> = {
  'inventory.reserve': 'reservation',
  'payment.authorize': 'authorization',
  'shipping.dispatch': 'parcel',
};

export async function openShop(): Promise<Shop> {
  const calls: ShopCall[] = [];
  const held = new Map<string, (() => void)[]>();
  const server = createServer((request, response) => {
    request.resume();
    const call = takeDown(request, calls);
    if (call === null) {
      response.writeHead(400).end();
      return;
    }
    calls.push(call);
    const answer = () => sendEffect(response, call);
    const waiting = held.get(call.tool);
    if (waiting === undefined) answer();
    else waiting.push(answer);
  });
  const port = await findFreePort();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port }, resolve);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    hold: (tool) => void held.set(tool, []),
    release(tool) {
      const waiting = held.get(tool) ?? [];
      held.delete(tool);
      for (const answer of waiting) answer();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function takeDown(request: IncomingMessage, calls: readonly ShopCall[]): ShopCall | null {
  const tool = (request.url ?? '/').slice(1);
  const key = request.headers['idempotency-key'];
  const noun = EFFECTS[tool];
  if (noun === undefined || typeof key !== 'string') return null;
  const known = calls.find((call) => call.idempotencyKey === key);
  const effect = known?.effect ?? `${noun}-${calls.length + 1}`;
  return { tool, idempotencyKey: key, effect, isFirst: known === undefined };
}

function sendEffect(response: ServerResponse, call: ShopCall): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id: call.effect }));
}
