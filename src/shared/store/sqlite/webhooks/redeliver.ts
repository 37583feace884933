import type { Redelivery, RedeliverMessage } from '../../webhooks.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';

export function redeliverMessage(
  connection: Connection,
  { webhookId, tenantId, deliveryId, actorId }: RedeliverMessage,
): Redelivery | null {
  const found = connection.get<{ readonly webhook_status: 'active' | 'disabled' }>(
    `select w.status as webhook_status
     from webhook_deliveries as d
     join webhooks as w on w.webhook_id = d.webhook_id
     where d.delivery_id = :delivery_id
       and d.webhook_id = :webhook_id
       and w.tenant_id = :tenant_id`,
    { delivery_id: deliveryId, webhook_id: webhookId, tenant_id: tenantId },
  );
  if (found === undefined) return null;
  if (found.webhook_status === 'disabled') return 'disabled';
  const changes = connection.run(
    `update webhook_deliveries
     set status = 'pending', next_attempt_at = :now, ended_at = null
     where delivery_id = :delivery_id and status <> 'pending'`,
    { delivery_id: deliveryId, now: connection.now() },
  );
  if (changes === 0) return 'pending';
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'webhook_redelivered',
    actorId,
    payload: { webhook_id: webhookId, delivery_id: deliveryId },
  });
  return 'queued';
}
