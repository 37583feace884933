import { createHmac } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import type { Receipt } from '../../invariants/checks/check-webhooks.ts';
import type { Dice } from '../../simulation/dice.ts';
import { startHttpServer } from '../../support/servers/http-server.ts';

/** A message that arrived, by the id in its header. */
export interface Arrival extends Omit<Receipt, 'seq'> {
  readonly deliveryId: string;
}

/** A receiver of webhooks, which fails often until it is calm. */
export interface WebhookReceiver {
  /** The URL of a tenant's webhook. */
  urlOf(tenantId: string): string;
  /** The receiver checks the signatures of messages to this tenant's webhook. */
  expect(tenantId: string, secret: string): void;
  readonly arrivals: readonly Arrival[];
  /** It takes every message from now on. */
  calm(): void;
  close(): Promise<void>;
}

/**
 * `mute`: it takes the message, and the answer is lost. `hangs`: it never answers. `away`: it is down
 * for a while, and breaks all connections.
 */
const MANNERS = ['fails', 'fails', 'mute', 'hangs', 'away'] as const;
const MISCHIEF = 0.15;
const AWAY_MS = [500, 3_000] as const;

export async function startWebhookReceiver(dice: Dice): Promise<WebhookReceiver> {
  const arrivals: Arrival[] = [];
  const secrets = new Map<string, string>();
  const hanging = new Set<ServerResponse>();
  let isCalm = false;
  let awayUntil = 0;

  function answer(incoming: IncomingMessage, response: ServerResponse, body: string): void {
    const manner = isCalm || !dice.chance(MISCHIEF) ? 'well' : dice.pick(MANNERS);
    if (manner === 'away') awayUntil = performance.now() + dice.between(...AWAY_MS);
    if (!isCalm && performance.now() < awayUntil) return void response.destroy();
    const status = manner === 'well' || manner === 'mute' ? 204 : 500;
    const id = headerOf(incoming, 'webhook-id');
    const secret = secrets.get(incoming.url ?? '') ?? null;
    arrivals.push({
      deliveryId: id.replace('msg_', ''),
      status,
      isSigned: secret !== null && isSignedBy(secret, incoming, body),
    });
    if (manner === 'hangs') hanging.add(response);
    else if (manner === 'mute') response.destroy();
    else response.writeHead(status).end();
  }

  const listen: RequestListener = (incoming, response) =>
    void readText(incoming).then(
      (body) => answer(incoming, response, body),
      () => response.destroy(),
    );
  const server = await startHttpServer(listen, { unref: true });
  return {
    urlOf: (tenantId) => `${server.url}/${tenantId}`,
    expect: (tenantId, secret) => void secrets.set(`/${tenantId}`, secret),
    arrivals,
    calm: () => {
      isCalm = true;
      for (const response of hanging) response.destroy();
    },
    close: () => server.close(),
  };
}

/** See https://www.standardwebhooks.com; the checker shares no code with the sender. */
function isSignedBy(secret: string, incoming: IncomingMessage, body: string): boolean {
  const signed = ['webhook-id', 'webhook-timestamp'].map((name) => headerOf(incoming, name));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key)
    .update([...signed, body].join('.'))
    .digest('base64');
  return headerOf(incoming, 'webhook-signature').split(' ').includes(`v1,${expected}`);
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
