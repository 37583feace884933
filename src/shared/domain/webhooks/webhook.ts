import type { ExecutionStatus } from '../execution/status.ts';
import type { ExecutionId, TenantId } from '../ids.ts';
import type { JsonObject } from '../json.ts';

/** The kinds of messages for a tenant. */
export const WEBHOOK_EVENT_TYPES = [
  'execution.running',
  'execution.paused',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
  'approval.requested',
  'work_item.dead_lettered',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

export function isWebhookEventType(text: string): text is WebhookEventType {
  return (WEBHOOK_EVENT_TYPES as readonly string[]).includes(text);
}

export interface Webhook {
  readonly webhookId: string;
  readonly tenantId: TenantId;
  readonly url: string;
  /** Null: all. */
  readonly eventTypes: readonly WebhookEventType[] | null;
  /** `disabled`: the other side answered 410, so it is gone permanently. */
  readonly status: 'active' | 'disabled';
  readonly createdAt: string;
}

/** A message as it is written, once for each webhook that wants it. */
export interface WebhookMessage {
  readonly eventType: WebhookEventType;
  readonly data: JsonObject;
  /** Told only if the execution did not have this status before; null: told anyhow. */
  readonly ifStatusBecomes: ExecutionStatus | null;
}

/** A message to one webhook, and what became of it. */
export interface WebhookDelivery {
  /** The same at every attempt, so that receivers can tell a repetition. */
  readonly deliveryId: string;
  readonly executionId: ExecutionId;
  readonly eventType: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** Null when there will be none. */
  readonly nextAttemptAt: string | null;
  /** Status of the answer to the last attempt; null: none. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}
