import { sql } from 'slonik';
import { z } from 'zod';

import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import { isWebhookEventType, type Webhook } from '../../../domain/webhooks/webhook.ts';
import type { WebhookStore } from '../../webhooks.ts';
import { appendAuditEntry, appendAuditOf } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';
import { claimDeliveries, settleDelivery } from './deliveries.ts';
import { redeliverMessage } from './redeliver.ts';

const WebhookRecord = z.object({
  webhook_id: z.string(),
  tenant_id: z.string(),
  url: z.string(),
  event_types: z.string().nullable(),
  status: z.enum(['active', 'disabled']),
  created_at: z.string(),
});

const DeliveryRecord = z.object({
  delivery_id: z.string(),
  execution_id: z.string(),
  event_type: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  next_attempt_at: z.string().nullable(),
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  created_at: z.string(),
  ended_at: z.string().nullable(),
});

const SealedRecord = z.object({
  webhook_id: z.string(),
  tenant_id: z.string(),
  secret: z.string(),
});

const IdRecord = z.object({ webhook_id: z.string() });

const COLUMNS = sql.fragment`
  w.webhook_id, w.tenant_id, w.url, array_to_json(w.event_types)::text as event_types, w.status,
  w.created_at`;

export function createWebhookStore(management: Management): WebhookStore {
  return {
    listSealed: (params) => listSealed(management, params),
    replaceSecret: (params) => replaceSecret(management, params),
    create: (webhook) => createWebhook(management, webhook),
    list: (tenantId) => listWebhooks(management, tenantId),
    remove: (params) => removeWebhook(management, params),
    deliveries: (params) => listDeliveries(management, params),
    redeliver: (params) => redeliverMessage(management, params),
    claim: (params) => claimDeliveries(management, params),
    settle: (params) => settleDelivery(management, params),
  };
}

async function listSealed(
  management: Management,
  { after, limit }: Parameters<WebhookStore['listSealed']>[0],
): ReturnType<WebhookStore['listSealed']> {
  const rows = await management.any(
    sql.type(SealedRecord)`
      select w.webhook_id, w.tenant_id, w.secret
      from webhooks w
      where ${after}::uuid is null or w.webhook_id > ${after}::uuid
      order by w.webhook_id
      limit ${limit}`,
    { writes: false },
  );
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    tenantId: row.tenant_id as TenantId,
    secret: row.secret,
  }));
}

async function replaceSecret(
  management: Management,
  { webhookId, tenantId, from, to }: Parameters<WebhookStore['replaceSecret']>[0],
): ReturnType<WebhookStore['replaceSecret']> {
  const rows = await management.any(
    sql.type(IdRecord)`
      update webhooks
      set secret = ${to}
      where webhook_id = ${webhookId}::uuid
        and tenant_id = ${tenantId}
        and secret = ${from}
      returning webhook_id`,
    { writes: true, tenant: tenantId },
  );
  return rows.length > 0;
}

async function createWebhook(
  management: Management,
  webhook: Parameters<WebhookStore['create']>[0],
): ReturnType<WebhookStore['create']> {
  const { webhookId, tenantId, url, eventTypes, secret, actorId, webhooksMax } = webhook;
  const [row] = await management.any(
    sql.type(WebhookRecord)`
      with added as (
        insert into webhooks as w (
          webhook_id, tenant_id, url, event_types, secret, status, created_at
        )
        select ${webhookId}::uuid, ${tenantId}, ${url},
          ${eventTypes === null ? null : sql.array([...eventTypes], 'text')}, ${secret},
          'active', date_trunc('milliseconds', clock_timestamp())
        where (select count(*) from webhooks h where h.tenant_id = ${tenantId}) < ${webhooksMax}
        returning ${COLUMNS}
      ),
      audited as (${appendAuditEntry(
        {
          tenantId,
          executionId: null,
          eventType: 'webhook_created',
          actorId,
          payload: { webhook_id: webhookId, event_types: eventTypes },
        },
        sql.fragment`added`,
      )})
      select * from added`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : decodeWebhook(row);
}

async function listWebhooks(
  management: Management,
  tenantId: Parameters<WebhookStore['list']>[0],
): ReturnType<WebhookStore['list']> {
  const rows = await management.any(
    sql.type(WebhookRecord)`
    select ${COLUMNS}
    from webhooks w
    where w.tenant_id = ${tenantId}
    order by w.created_at desc, w.webhook_id desc`,
    { tenant: tenantId },
  );
  return rows.map(decodeWebhook);
}

async function removeWebhook(
  management: Management,
  { webhookId, tenantId, actorId }: Parameters<WebhookStore['remove']>[0],
): ReturnType<WebhookStore['remove']> {
  const [row] = await management.any(
    sql.type(WebhookRecord)`
      with removed as (
        delete from webhooks w
        where w.webhook_id::text = ${webhookId}
          and w.tenant_id = ${tenantId}
        returning ${COLUMNS}
      ),
      forgotten as (
        delete from webhook_deliveries d
        using removed r
        where d.webhook_id = r.webhook_id
      ),
      audited as (${appendAuditOf(
        { tenantId, executionId: null, eventType: 'webhook_deleted', actorId },
        {
          payload: sql.fragment`json_build_object('webhook_id', r.webhook_id)`,
          from: sql.fragment`removed r`,
        },
      )})
      select * from removed`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : decodeWebhook(row);
}

async function listDeliveries(
  management: Management,
  { webhookId, tenantId, after = null, limit, offset }: Parameters<WebhookStore['deliveries']>[0],
): ReturnType<WebhookStore['deliveries']> {
  const [known] = await management.any(
    sql.type(IdRecord)`
    select w.webhook_id
    from webhooks w
    where w.webhook_id::text = ${webhookId}
      and w.tenant_id = ${tenantId}`,
    { tenant: tenantId },
  );
  if (known === undefined) return null;
  const rows = await management.any(
    sql.type(DeliveryRecord)`
    select d.delivery_id, d.execution_id, d.event_type, d.status, d.attempts,
      d.next_attempt_at, d.last_status, d.last_error, d.created_at, d.ended_at
    from webhook_deliveries d
    where d.webhook_id = ${known.webhook_id}::uuid
      and (
        ${after}::uuid is null
        or d.seq < (select l.seq from webhook_deliveries l where l.delivery_id = ${after}::uuid)
      )
    order by d.seq desc
    limit ${limit}
    offset ${offset}`,
    { tenant: tenantId },
  );
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    executionId: executionIdFromUuid(row.execution_id),
    eventType: row.event_type,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  }));
}

function decodeWebhook(row: z.infer<typeof WebhookRecord>): Webhook {
  const eventTypes =
    row.event_types === null ? null : (JSON.parse(row.event_types) as readonly string[]);
  return {
    webhookId: row.webhook_id,
    tenantId: row.tenant_id as TenantId,
    url: row.url,
    eventTypes: eventTypes?.filter(isWebhookEventType) ?? null,
    status: row.status,
    createdAt: row.created_at,
  };
}
