import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import {
  isWebhookEventType,
  type Webhook,
  type WebhookDelivery,
} from '../../../domain/webhooks/webhook.ts';
import type { NewWebhook, SealedWebhook, WebhookRef, WebhookStore } from '../../webhooks.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso, toIsoOrNull } from '../rows.ts';
import { claimDeliveries, settleDelivery } from './deliveries.ts';
import { redeliverMessage } from './redeliver.ts';

export function createWebhookStore(connection: Connection): WebhookStore {
  return {
    create: (webhook) => connection.write(() => createWebhook(connection, webhook)),
    list: (tenantId) => connection.read(() => listWebhooks(connection, tenantId)),
    remove: (params) => connection.write(() => removeWebhook(connection, params)),
    deliveries: (params) => connection.read(() => listDeliveries(connection, params)),
    redeliver: (params) => connection.write(() => redeliverMessage(connection, params)),
    claim: (params) => connection.write(() => claimDeliveries(connection, params)),
    settle: (params) => connection.write(() => settleDelivery(connection, params)),
    listSealed: (params) => connection.read(() => listSealed(connection, params)),
    replaceSecret: (params) => connection.write(() => replaceSecret(connection, params)),
  };
}

const WEBHOOK_COLUMNS = 'webhook_id, tenant_id, url, event_types, status, created_at';

interface RawWebhook {
  readonly webhook_id: string;
  readonly tenant_id: string;
  readonly url: string;
  readonly event_types: string | null;
  readonly status: 'active' | 'disabled';
  readonly created_at: number;
}

function createWebhook(connection: Connection, webhook: NewWebhook): Webhook | null {
  const { webhookId, tenantId, url, eventTypes, secret, actorId, webhooksMax } = webhook;
  const present = connection.get<{ readonly count: number }>(
    'select count(*) as count from webhooks where tenant_id = :tenant_id',
    { tenant_id: tenantId },
  );
  if ((present?.count ?? 0) >= webhooksMax) return null;
  const row: RawWebhook = {
    webhook_id: webhookId,
    tenant_id: tenantId,
    url,
    event_types: eventTypes === null ? null : JSON.stringify(eventTypes),
    status: 'active',
    created_at: connection.now(),
  };
  connection.run(
    `insert into webhooks (${WEBHOOK_COLUMNS}, secret)
     values (:webhook_id, :tenant_id, :url, :event_types, :status, :created_at, :secret)`,
    { ...row, secret },
  );
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'webhook_created',
    actorId,
    payload: { webhook_id: webhookId, event_types: eventTypes },
  });
  return toWebhook(row);
}

function listWebhooks(connection: Connection, tenantId: TenantId): readonly Webhook[] {
  return connection
    .all<RawWebhook>(
      `select ${WEBHOOK_COLUMNS}
       from webhooks
       where tenant_id = :tenant_id
       order by created_at desc, webhook_id desc`,
      { tenant_id: tenantId },
    )
    .map(toWebhook);
}

function listSealed(
  connection: Connection,
  params: { readonly after: string | null; readonly limit: number },
): readonly SealedWebhook[] {
  return connection
    .all<{ readonly webhook_id: string; readonly tenant_id: TenantId; readonly secret: string }>(
      `select webhook_id, tenant_id, secret
       from webhooks
       where webhook_id > :after
       order by webhook_id
       limit :limit`,
      { after: params.after ?? '', limit: params.limit },
    )
    .map((row) => ({ webhookId: row.webhook_id, tenantId: row.tenant_id, secret: row.secret }));
}

function replaceSecret(
  connection: Connection,
  params: WebhookRef & { readonly from: string; readonly to: string },
): boolean {
  const changes = connection.run(
    `update webhooks
     set secret = :to
     where webhook_id = :webhook_id and tenant_id = :tenant_id and secret = :from`,
    {
      webhook_id: params.webhookId,
      tenant_id: params.tenantId,
      from: params.from,
      to: params.to,
    },
  );
  return changes > 0;
}

function removeWebhook(
  connection: Connection,
  params: WebhookRef & { readonly actorId: string },
): Webhook | null {
  const { webhookId, tenantId, actorId } = params;
  const row = connection.get<RawWebhook>(
    `delete from webhooks
     where webhook_id = :webhook_id and tenant_id = :tenant_id
     returning ${WEBHOOK_COLUMNS}`,
    { webhook_id: webhookId, tenant_id: tenantId },
  );
  if (row === undefined) return null;
  connection.run('delete from webhook_deliveries where webhook_id = :webhook_id', {
    webhook_id: webhookId,
  });
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'webhook_deleted',
    actorId,
    payload: { webhook_id: webhookId },
  });
  return toWebhook(row);
}

interface RawDelivery {
  readonly delivery_id: string;
  readonly execution_id: string;
  readonly event_type: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly next_attempt_at: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly ended_at: number | null;
}

function listDeliveries(
  connection: Connection,
  params: Parameters<WebhookStore['deliveries']>[0],
): readonly WebhookDelivery[] | null {
  const { webhookId, tenantId, after = null, limit, offset } = params;
  const known = connection.get(
    'select 1 from webhooks where webhook_id = :webhook_id and tenant_id = :tenant_id',
    { webhook_id: webhookId, tenant_id: tenantId },
  );
  if (known === undefined) return null;
  return connection
    .all<RawDelivery>(
      `select delivery_id, execution_id, event_type, status, attempts, next_attempt_at,
         last_status, last_error, created_at, ended_at
       from webhook_deliveries
       where webhook_id = :webhook_id
         and (
           :after is null
           or seq < (select l.seq from webhook_deliveries as l where l.delivery_id = :after)
         )
       order by seq desc
       limit :limit offset :offset`,
      { webhook_id: webhookId, after, limit, offset },
    )
    .map((row) => ({
      deliveryId: row.delivery_id,
      executionId: row.execution_id as ExecutionId,
      eventType: row.event_type,
      status: row.status,
      attempts: row.attempts,
      nextAttemptAt: toIsoOrNull(row.next_attempt_at),
      lastStatus: row.last_status,
      lastError: row.last_error,
      createdAt: toIso(row.created_at),
      endedAt: toIsoOrNull(row.ended_at),
    }));
}

function toWebhook(row: RawWebhook): Webhook {
  const eventTypes =
    row.event_types === null ? null : (JSON.parse(row.event_types) as readonly string[]);
  return {
    webhookId: row.webhook_id,
    tenantId: row.tenant_id as TenantId,
    url: row.url,
    eventTypes: eventTypes?.filter(isWebhookEventType) ?? null,
    status: row.status,
    createdAt: toIso(row.created_at),
  };
}
