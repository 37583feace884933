import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Webhook, WebhookDelivery, WebhookEventType } from '../domain/webhooks/webhook.ts';

/** How long what became of a message is kept. */
export const DELIVERY_LOG_MS = 30 * 24 * 3_600_000;

/**
 * The webhooks of tenants and the messages to them. Commits, and settlements without a fence, write
 * the messages in the same transaction as the reported change.
 */
export interface WebhookStore {
  /** Null: the tenant has `webhooksMax` already. */
  create(webhook: NewWebhook): Promise<Webhook | null>;
  /** Newest first. */
  list(tenantId: TenantId): Promise<readonly Webhook[]>;
  /** With everything that was still to be delivered. Null: there is no such webhook. */
  remove(params: WebhookRef & { readonly actorId: string }): Promise<Webhook | null>;
  /** Newest first; null: there is no such webhook. */
  deliveries(
    params: WebhookRef & {
      /** Only older messages than this one; one that is gone has none. Absent: from the newest. */
      readonly after?: string | null;
      readonly limit: number;
      readonly offset: number;
    },
  ): Promise<readonly WebhookDelivery[] | null>;
  /**
   * Sends an ended message again, with its attempts as they are: they tell the new attempt from the
   * ones before. Null: there is no such message.
   */
  redeliver(params: RedeliverMessage): Promise<Redelivery | null>;
  /**
   * Due messages of active tenants, at most `perWebhookMax` for one webhook. Each is claimed until
   * it is settled or `leaseMs` are over. For one execution and one webhook it only ever returns the
   * oldest pending message, so they arrive in order.
   */
  claim(params: {
    readonly limit: number;
    readonly perWebhookMax: number;
    readonly exceptWebhooks: readonly string[];
    readonly leaseMs: number;
  }): Promise<readonly ClaimedDelivery[]>;
  /** Records the result of an attempt. Does nothing if the attempt's claim has ended. */
  settle(params: SettleDelivery): Promise<void>;
  /** Webhooks of all tenants, by id. */
  listSealed(params: {
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly SealedWebhook[]>;
  /** False: its secret is not `from` any more. */
  replaceSecret(
    params: WebhookRef & { readonly from: string; readonly to: string },
  ): Promise<boolean>;
}

export interface WebhookRef {
  readonly tenantId: TenantId;
  readonly webhookId: string;
}

export interface RedeliverMessage extends WebhookRef {
  /** A UUID. */
  readonly deliveryId: string;
  readonly actorId: string;
}

/** `pending`: the message has not ended. `disabled`: its webhook takes no messages. */
export type Redelivery = 'queued' | 'pending' | 'disabled';

export interface SealedWebhook extends WebhookRef {
  /** Sealed. */
  readonly secret: string;
}

export interface NewWebhook extends WebhookRef {
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[] | null;
  /** Sealed. */
  readonly secret: string;
  readonly actorId: string;
  readonly webhooksMax: number;
}

export interface ClaimedDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly tenantId: TenantId;
  readonly executionId: ExecutionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly eventType: string;
  readonly data: JsonObject;
  readonly createdAt: string;
  /** This one included; proves at the settlement that it is still waited for. */
  readonly attempt: number;
  readonly url: string;
  /** Sealed. */
  readonly secret: string;
  /** By the database's clock, in seconds of Unix time: what the signature is made over. */
  readonly nowSeconds: number;
}

export interface SettleDelivery {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly outcome:
    | { readonly is: 'delivered' }
    | { readonly is: 'failed' }
    /** `counts`: false gives the attempt back, as it was broken off here. */
    | { readonly is: 'again'; readonly delayMs: number; readonly counts: boolean };
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** The receiver wants no more messages: the webhook is disabled, and pending messages fail. */
  readonly disables: boolean;
}
