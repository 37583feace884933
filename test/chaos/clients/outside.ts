import type { IncomingMessage, RequestListener } from 'node:http';

import { isJsonObject, type JsonObject } from '../../../src/shared/domain/json.ts';
import type { Ask } from '../../invariants/history.ts';
import { startHttpServer } from '../../support/servers/http-server.ts';
import { sendJson } from '../../support/shop.ts';
import type { Book } from './book.ts';
import { RUNTIME_SETTINGS } from './runtime-settings.ts';

export interface Outside {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * An external system that has one effect per `Idempotency-Key`, and repeats the receipt for the
 * same key. It never fails, because the run observes who calls it, how often, and under which key.
 */
export async function startOutside(book: Book): Promise<Outside> {
  const receipts = new Map<string, string>();
  const answer: RequestListener = (incoming, response) =>
    void readBody(incoming).then((body) => {
      const { 'idempotency-key': key } = incoming.headers;
      const known = typeof key === 'string' ? key : null;
      const call = book.begin({
        client: 'outside',
        tenantId: tenantOf(body),
        asks: asksIn(body, known),
      });
      const first = receipts.get(known ?? '') ?? `receipt-${known?.slice(0, 8)}-${receipts.size}`;
      if (known !== null) receipts.set(known, first);
      const shown = incoming.headers['x-api-key'] ?? null;
      const isAuthorised = shown === RUNTIME_SETTINGS.SVC_SECRET_OUTSIDE;
      call.answer({ status: 200, body: { receipt: first, authorised: isAuthorised } });
      // A careless system repeats the secret that it got.
      sendJson(response, { receipt: first, shown });
    });
  const server = await startHttpServer(answer, { unref: true });
  return { url: server.url, close: () => server.close() };
}

/** The token begins with its tenant: `<tenant>~<name>`. */
export function tenantOf(body: JsonObject): string {
  const { token } = body;
  return typeof token === 'string' ? (token.split('~')[0] ?? '') : '';
}

/** A step of a durable function reports its journal and its position there. */
function asksIn(body: JsonObject, key: string | null): Ask {
  const { visit: visitKey, step: identity, attempt } = body;
  if (typeof visitKey === 'string' && typeof identity === 'string') {
    return { do: 'step_effect', visitKey, fence: null, identity, key: key ?? '' };
  }
  return { do: 'effect', key, attempt: numberOf(attempt) };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

async function readBody(incoming: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  return isJsonObject(body) ? body : {};
}
