import { conflict } from '../../domain/errors.ts';
import type { Webhook, WebhookEventType } from '../../domain/webhooks/webhook.ts';
import type { Ids } from '../../ports/ids.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../caller.ts';
import { formatSecret } from './sign-message.ts';
import { sealWebhookSecret } from './webhook-secret.ts';

export interface WebhookDeps {
  readonly store: Pick<Store, 'webhooks'>;
  readonly ids: Ids;
  readonly secrets: SecretBox;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Throws a 400 for an address that is never called. */
  readonly checkUrl: (url: string) => void;
}

/** Each change of an execution is written once for every webhook. */
const WEBHOOKS_MAX = 20;

/** The secret is in this answer and in no other. */
export async function createWebhook(
  deps: WebhookDeps,
  { tenantId, actorId }: Caller,
  params: {
    readonly url: string;
    /** Null: all. */
    readonly eventTypes: readonly WebhookEventType[] | null;
  },
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const { url, eventTypes } = params;
  deps.checkUrl(url);
  const secret = formatSecret(deps.randomBytes(32));
  const webhookId = deps.ids.uuid();
  const webhook = await deps.store.webhooks.create({
    webhookId,
    tenantId,
    url,
    eventTypes,
    secret: sealWebhookSecret(deps.secrets, { webhookId, tenantId, secret }),
    actorId,
    webhooksMax: WEBHOOKS_MAX,
  });
  if (webhook !== null) return { webhook, secret };
  throw conflict(`there are ${WEBHOOKS_MAX} webhooks already; delete one first`);
}
