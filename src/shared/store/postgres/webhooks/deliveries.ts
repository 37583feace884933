import { sql } from 'slonik';
import { z } from 'zod';

import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { ClaimedDelivery, SettleDelivery, WebhookStore } from '../../webhooks.ts';
import { newAuditId } from '../../rows/audit-ids.ts';
import type { Management } from '../connection/management.ts';

const ClaimedRecord = z.object({
  delivery_id: z.string(),
  webhook_id: z.string(),
  tenant_id: z.string(),
  execution_id: z.string(),
  workflow_id: z.string(),
  workflow_version: z.string(),
  event_type: z.string(),
  data: z.string(),
  created_at: z.string(),
  attempts: z.int(),
  url: z.string(),
  secret: z.string(),
  now_seconds: z.int(),
});

const DoneRecord = z.object({ done: z.int() });

/** Messages that may be sent, of which each webhook gets its part. */
const LOOK_AT_MAX = 500;

/**
 * A running attempt moves the due time ahead, so that nobody else finds it due; if it is not
 * settled by then, it is repeated. A message behind a pending one of its execution is never given,
 * even if it is due. Such messages are left out before the limit, or many of them would hide those that
 * may be sent. The limit within makes it a look-up for each due message: the server turns it into no join.
 */
export async function claimDeliveries(
  management: Management,
  params: Parameters<WebhookStore['claim']>[0],
): Promise<readonly ClaimedDelivery[]> {
  const { limit, perWebhookMax, exceptWebhooks, leaseMs } = params;
  const rows = await management.any(
    sql.type(ClaimedRecord)`
      with due as materialized (
        select d.delivery_id, d.webhook_id, d.seq, d.next_attempt_at
        from webhook_deliveries d
        where d.status = 'pending'
          and d.next_attempt_at <= clock_timestamp()
          and d.tenant_id <> all(array(select n.id from tenants n where n.status <> 'active'))
          and d.webhook_id <> all(${sql.array([...exceptWebhooks], 'uuid')})
          and (
            select p.seq
            from webhook_deliveries p
            where p.status = 'pending'
              and p.webhook_id = d.webhook_id
              and p.execution_id = d.execution_id
              and p.seq < d.seq
            limit 1
          ) is null
        order by d.next_attempt_at
        limit ${LOOK_AT_MAX}
      ),
      ready as materialized (
        select r.delivery_id
        from (
          select u.delivery_id, u.next_attempt_at,
            row_number() over (partition by u.webhook_id order by u.next_attempt_at, u.seq) as place
          from due u
        ) r
        where r.place <= ${perWebhookMax}
        order by r.next_attempt_at
        limit ${limit}
      ),
      locked as materialized (
        select d.delivery_id
        from webhook_deliveries d
        where d.delivery_id in (select delivery_id from ready)
          and d.status = 'pending'
          and d.next_attempt_at <= clock_timestamp()
        for update skip locked
      )
      update webhook_deliveries d
      set attempts = d.attempts + 1,
        next_attempt_at = clock_timestamp() + ${leaseMs}::int8 * interval '1 millisecond'
      from locked l, webhooks w, executions x
      where d.delivery_id = l.delivery_id
        and w.webhook_id = d.webhook_id
        and x.id = d.execution_id
      returning d.delivery_id, d.webhook_id, d.tenant_id, d.execution_id, x.workflow_id,
        x.workflow_version, d.event_type, d.data, d.created_at, d.attempts, w.url, w.secret,
        floor(extract(epoch from clock_timestamp()))::int8 as now_seconds`,
    { writes: true },
  );
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    tenantId: row.tenant_id as TenantId,
    executionId: executionIdFromUuid(row.execution_id),
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    eventType: row.event_type,
    data: JSON.parse(row.data) as JsonObject,
    createdAt: row.created_at,
    attempt: row.attempts,
    url: row.url,
    secret: row.secret,
    nowSeconds: row.now_seconds,
  }));
}

export async function settleDelivery(
  management: Management,
  params: SettleDelivery,
): Promise<void> {
  const { deliveryId, attempt, outcome, lastStatus, lastError, disables } = params;
  const isOver = outcome.is !== 'again';
  const delayMs = outcome.is === 'again' ? outcome.delayMs : 0;
  const gaveBack = outcome.is === 'again' && !outcome.counts ? 1 : 0;
  await management.any(
    sql.type(DoneRecord)`
      with settled as (
        update webhook_deliveries d
        set status = ${isOver ? outcome.is : 'pending'},
          attempts = d.attempts - ${gaveBack}::int4,
          next_attempt_at = case
            when ${isOver}::bool then null
            else clock_timestamp() + ${delayMs}::int8 * interval '1 millisecond'
          end,
          ended_at = case
            when ${isOver}::bool then date_trunc('milliseconds', clock_timestamp())
          end,
          last_status = ${lastStatus}::int4,
          last_error = ${lastError}::text
        where d.delivery_id = ${deliveryId}::uuid
          and d.status = 'pending'
          and d.attempts = ${attempt}::int4
        returning d.delivery_id, d.webhook_id
      ),
      disabled as (
        update webhooks w
        set status = 'disabled'
        from settled s
        where w.webhook_id = s.webhook_id
          and ${disables}::bool
          and w.status = 'active'
        returning w.webhook_id, w.tenant_id
      ),
      given_up as (
        update webhook_deliveries d
        set status = 'failed',
          next_attempt_at = null,
          ended_at = date_trunc('milliseconds', clock_timestamp()),
          last_error = 'the webhook was disabled'
        from disabled w
        where d.webhook_id = w.webhook_id
          and d.status = 'pending'
          and d.delivery_id <> ${deliveryId}::uuid
      ),
      audited as (
        insert into audit_log (audit_id, tenant_id, event_type, actor_id, payload, created_at)
        select ${newAuditId()}::uuid, w.tenant_id, 'webhook_disabled', 'system:scheduler',
          json_build_object('webhook_id', w.webhook_id), audit_stamp()
        from disabled w
      )
      select count(*)::int4 as done
      from settled`,
    { writes: true },
  );
}
