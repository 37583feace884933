import { HttpError } from '../../domain/http-error.ts';
import type { Http } from '../../ports/http.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { ClaimedDelivery, SettleDelivery, WebhookStore } from '../../store/webhooks.ts';
import type { EngineReport } from '../report.ts';
import type { RoundResult } from '../scheduling/round-result.ts';
import { signMessage } from './sign-message.ts';
import { openWebhookSecret } from './webhook-secret.ts';

/*
 * Delivery of messages to webhooks, at least once and in order per execution.
 *
 * An attempt is a claim (see `WebhookStore.claim`), a call and a settlement. A process that dies in
 * between leaves a message that is due again when its claim is over, so it may arrive twice, with
 * the same `webhook-id`. Any answer from 200 to 299 is taken for the receiver's word that it has the
 * message; everything else is tried again, later and later, for about a day. 410 says that the
 * receiver is gone: the webhook is disabled.
 */

export interface WebhookDelivering {
  /** Begins what is due, as far as there is room, and does not wait for it. */
  round(): Promise<RoundResult>;
  /** Begins nothing more and breaks off what is under way, to be sent again. */
  close(): Promise<void>;
}

const UNDER_WAY_MAX = 64;
/** Begun at a time for one receiver: one that hangs keeps less than twice that of the room. */
const PER_WEBHOOK_MAX = 8;
const CALL_MS_MAX = 15_000;
const LEASE_MS = 4 * CALL_MS_MAX;
/** Nothing of the answer is used but its status. */
const RESPONSE_BYTES_MAX = 64 * 1024;

const MINUTE = 60_000;
/** Before the second attempt, the third and so on: 26 hours in all. */
const DELAYS_MS: readonly number[] = [
  5_000,
  30_000,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  60 * MINUTE,
  2 * 60 * MINUTE,
  4 * 60 * MINUTE,
  8 * 60 * MINUTE,
  10 * 60 * MINUTE,
];

export function createWebhookDelivering(deps: {
  readonly store: WebhookStore;
  readonly http: Http;
  readonly secrets: SecretBox;
  readonly report: Pick<EngineReport, 'count' | 'trouble'>;
  /** From 0 to 1. */
  readonly random: () => number;
}): WebhookDelivering {
  const { store, report } = deps;
  const closing = new AbortController();
  const underWay = new Map<Promise<void>, string>();

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const { deliveryId, attempt } = delivery;
    const result = await call(deps, delivery, closing.signal);
    const settlement = judge({ attempt, result, random: deps.random });
    await store.settle({ deliveryId, attempt, ...settlement });
    report.count('webhook_attempts', 1, { outcome: settlement.outcome.is });
  }

  function begin(delivery: ClaimedDelivery): void {
    const done = deliver(delivery)
      // An unsettled message is due again when its claim expires.
      .catch((error: unknown) => {
        const { webhookId: webhook_id, deliveryId: delivery_id } = delivery;
        report.trouble('delivering to a webhook failed', error, { webhook_id, delivery_id });
      })
      .finally(() => underWay.delete(done));
    underWay.set(done, delivery.webhookId);
  }

  return {
    async round() {
      const room = UNDER_WAY_MAX - underWay.size;
      if (room <= 0 || closing.signal.aborted) return { found: 0, more: false };
      const claimed = await store.claim({
        limit: room,
        perWebhookMax: PER_WEBHOOK_MAX,
        exceptWebhooks: busyWebhooks(underWay),
        leaseMs: LEASE_MS,
      });
      for (const delivery of claimed) begin(delivery);
      return { found: claimed.length, more: claimed.length > 0 };
    },
    async close() {
      closing.abort();
      await Promise.all(underWay.keys());
    },
  };
}

/** Those that have as many calls under way as they may begin at a time. */
function busyWebhooks(underWay: ReadonlyMap<unknown, string>): readonly string[] {
  const counts = new Map<string, number>();
  for (const webhookId of underWay.values()) {
    counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= PER_WEBHOOK_MAX).map(([id]) => id);
}

type CallResult =
  { readonly status: number } | { readonly error: string } | { readonly brokenOff: true };

async function call(
  deps: { readonly http: Http; readonly secrets: SecretBox },
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<CallResult> {
  const { deliveryId, eventType, createdAt, url, nowSeconds } = delivery;
  const secret = openWebhookSecret(deps.secrets, delivery);
  if (secret === null) return { error: 'its secret opens with no encryption key of this service' };
  const body = JSON.stringify({
    type: eventType,
    timestamp: createdAt,
    data: {
      tenant_id: delivery.tenantId,
      workflow_id: delivery.workflowId,
      workflow_version: delivery.workflowVersion,
      ...delivery.data,
    },
  });
  const signed = signMessage({ id: `msg_${deliveryId}`, timestamp: nowSeconds, body, secret });
  try {
    const { status } = await deps.http.fetch({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      timeoutMs: CALL_MS_MAX,
      responseBytesMax: RESPONSE_BYTES_MAX,
      signal,
    });
    return { status };
  } catch (error) {
    if (signal.aborted) return { brokenOff: true };
    if (error instanceof HttpError) return { error: error.message };
    throw error;
  }
}

function judge(given: {
  readonly attempt: number;
  readonly result: CallResult;
  readonly random: () => number;
}): Omit<SettleDelivery, 'deliveryId' | 'attempt'> {
  const { attempt, result } = given;
  if ('brokenOff' in result) {
    const outcome = { is: 'again', delayMs: 0, counts: false } as const;
    return { outcome, lastStatus: null, lastError: 'broken off', disables: false };
  }
  const lastStatus = 'status' in result ? result.status : null;
  const isTaken = lastStatus !== null && lastStatus >= 200 && lastStatus < 300;
  if (isTaken) {
    return { outcome: { is: 'delivered' }, lastStatus, lastError: null, disables: false };
  }
  const lastError = 'error' in result ? result.error : `answered ${result.status}`;
  const disables = lastStatus === GONE;
  const delayMs = DELAYS_MS[attempt - 1];
  if (disables || delayMs === undefined) {
    return { outcome: { is: 'failed' }, lastStatus, lastError, disables };
  }
  // Messages that failed together are not sent again together.
  const spread = Math.round(delayMs * (0.9 + 0.2 * given.random()));
  const outcome = { is: 'again', delayMs: spread, counts: true } as const;
  return { outcome, lastStatus, lastError, disables };
}

const GONE = 410;
