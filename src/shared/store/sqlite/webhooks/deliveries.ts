import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { ClaimedDelivery, SettleDelivery, WebhookStore } from '../../webhooks.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

interface RawClaim {
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly tenant_id: string;
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly workflow_version: string;
  readonly event_type: string;
  readonly data: string;
  readonly created_at: number;
  readonly attempts: number;
  readonly url: string;
  readonly secret: string;
}

/**
 * A running attempt moves the due time ahead, so that nobody else finds it due; if it is not
 * settled by then, it is repeated. A message behind a pending one of its execution is never given,
 * even if it is due.
 */
export function claimDeliveries(
  connection: Connection,
  params: Parameters<WebhookStore['claim']>[0],
): readonly ClaimedDelivery[] {
  const now = connection.now();
  const rows = connection.all<RawClaim>(
    `select r.delivery_id, r.webhook_id, r.tenant_id, r.execution_id, x.workflow_id,
       x.workflow_version, r.event_type, r.data, r.created_at, r.attempts, w.url, w.secret
     from (
       select d.*,
         row_number() over (partition by d.webhook_id order by d.next_attempt_at, d.seq) as place
       from webhook_deliveries as d
       where d.status = 'pending'
         and d.next_attempt_at <= :now
         and d.tenant_id not in (select id from tenants where status <> 'active')
         and d.webhook_id not in (select value from json_each(:except_webhooks))
         and not exists (
           select 1
           from webhook_deliveries as p
           where p.status = 'pending'
             and p.execution_id = d.execution_id
             and p.webhook_id = d.webhook_id
             and p.seq < d.seq
         )
     ) as r
     join webhooks as w on w.webhook_id = r.webhook_id
     join executions as x on x.id = r.execution_id
     where r.place <= :per_webhook_max
     order by r.next_attempt_at, r.seq
     limit :limit`,
    {
      now,
      except_webhooks: JSON.stringify(params.exceptWebhooks),
      per_webhook_max: params.perWebhookMax,
      limit: params.limit,
    },
  );
  for (const row of rows) {
    connection.run(
      `update webhook_deliveries
       set attempts = attempts + 1, next_attempt_at = :lost_at
       where delivery_id = :delivery_id`,
      { delivery_id: row.delivery_id, lost_at: now + params.leaseMs },
    );
  }
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    tenantId: row.tenant_id as TenantId,
    executionId: row.execution_id as ExecutionId,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    eventType: row.event_type,
    data: JSON.parse(row.data) as JsonObject,
    createdAt: toIso(row.created_at),
    attempt: row.attempts + 1,
    url: row.url,
    secret: row.secret,
    nowSeconds: Math.floor(now / 1000),
  }));
}

export function settleDelivery(connection: Connection, params: SettleDelivery): void {
  const { deliveryId, attempt, outcome, lastStatus, lastError, disables } = params;
  const now = connection.now();
  const isAgain = outcome.is === 'again';
  const settled = connection.get<{ readonly webhook_id: string }>(
    `update webhook_deliveries
     set status = :status,
         attempts = attempts - :given_back,
         next_attempt_at = :next_attempt_at,
         ended_at = :ended_at,
         last_status = :last_status,
         last_error = :last_error
     where delivery_id = :delivery_id and status = 'pending' and attempts = :attempt
     returning webhook_id`,
    {
      delivery_id: deliveryId,
      attempt,
      status: isAgain ? 'pending' : outcome.is,
      given_back: isAgain && !outcome.counts ? 1 : 0,
      next_attempt_at: isAgain ? now + outcome.delayMs : null,
      ended_at: isAgain ? null : now,
      last_status: lastStatus,
      last_error: lastError,
    },
  );
  if (settled !== undefined && disables) disableWebhook(connection, settled.webhook_id, now);
}

function disableWebhook(connection: Connection, webhookId: string, now: number): void {
  const disabled = connection.get<{ readonly tenant_id: string }>(
    `update webhooks
     set status = 'disabled'
     where webhook_id = :webhook_id and status = 'active'
     returning tenant_id`,
    { webhook_id: webhookId },
  );
  if (disabled === undefined) return;
  connection.run(
    `update webhook_deliveries
     set status = 'failed', next_attempt_at = null, ended_at = :now,
         last_error = 'the webhook was disabled'
     where webhook_id = :webhook_id and status = 'pending'`,
    { webhook_id: webhookId, now },
  );
  appendAudit(connection, {
    tenantId: disabled.tenant_id as TenantId,
    executionId: null,
    eventType: 'webhook_disabled',
    actorId: 'system:scheduler',
    payload: { webhook_id: webhookId },
  });
}
