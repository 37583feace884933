import type { Actor } from '../caller.ts';
import { conflict, notFound } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { Webhook, WebhookDelivery, WebhookEventType } from '../../domain/webhooks/webhook.ts';
import type { Ids } from '../../ports/ids.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { WebhookRef, WebhookStore } from '../../store/webhooks.ts';
import { formatSecret } from './sign-message.ts';
import { sealWebhookSecret } from './webhook-secret.ts';

/** What the outside can ask about webhooks. Every method may throw a `SvcError` (400, 404, 409). */
export interface Webhooks {
  /** The secret is in this answer and in no other. */
  create(
    params: Actor & {
      readonly tenantId: TenantId;
      readonly url: string;
      /** Null: all. */
      readonly eventTypes: readonly WebhookEventType[] | null;
    },
  ): Promise<{ readonly webhook: Webhook; readonly secret: string }>;
  list(params: { readonly tenantId: TenantId }): Promise<readonly Webhook[]>;
  remove(params: Actor & WebhookRef): Promise<Webhook>;
  deliveries(
    params: WebhookRef & { readonly limit: number; readonly offset: number },
  ): Promise<readonly WebhookDelivery[]>;
}

/** Each change of an execution is written once for every webhook. */
const WEBHOOKS_MAX = 20;

export function createWebhooks(deps: {
  readonly store: WebhookStore;
  readonly ids: Ids;
  readonly secrets: SecretBox;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Throws a 400 for an address that is never called. */
  readonly checkUrl: (url: string) => void;
}): Webhooks {
  const { store } = deps;
  return {
    async create({ tenantId, url, eventTypes, actorId }) {
      deps.checkUrl(url);
      const secret = formatSecret(deps.randomBytes(32));
      const webhookId = deps.ids.uuid();
      const webhook = await store.create({
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
    },
    list: ({ tenantId }) => store.list(tenantId),
    async remove(params) {
      return (await store.remove(params)) ?? missing(params);
    },
    async deliveries(params) {
      return (await store.deliveries(params)) ?? missing(params);
    },
  };
}

function missing({ webhookId }: WebhookRef): never {
  throw notFound(`webhook ${webhookId}`);
}
