import { sql } from 'slonik';
import { z } from 'zod';

import type { Redelivery, RedeliverMessage } from '../../webhooks.ts';
import { appendAuditEntry } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';

const FoundRecord = z.object({
  webhook_status: z.enum(['active', 'disabled']),
  is_queued: z.boolean(),
});

/** The lock holds off the settlement that disables the webhook. */
export async function redeliverMessage(
  management: Management,
  { webhookId, tenantId, deliveryId, actorId }: RedeliverMessage,
): Promise<Redelivery | null> {
  const [found] = await management.any(
    sql.type(FoundRecord)`
      with hook as materialized (
        select w.webhook_id, w.status
        from webhooks w
        where w.webhook_id::text = ${webhookId}
          and w.tenant_id = ${tenantId}
        for share
      ),
      queued as (
        update webhook_deliveries d
        set status = 'pending', next_attempt_at = clock_timestamp(), ended_at = null
        from hook h
        where d.delivery_id = ${deliveryId}::uuid
          and d.webhook_id = h.webhook_id
          and d.status <> 'pending'
          and h.status = 'active'
        returning d.delivery_id
      ),
      audited as (${appendAuditEntry(
        {
          tenantId,
          executionId: null,
          eventType: 'webhook_redelivered',
          actorId,
          payload: { webhook_id: webhookId, delivery_id: deliveryId },
        },
        sql.fragment`queued`,
      )})
      select h.status as webhook_status, exists (select from queued) as is_queued
      from hook h
      join webhook_deliveries d on d.webhook_id = h.webhook_id
      where d.delivery_id = ${deliveryId}::uuid`,
    { writes: true, tenant: tenantId },
  );
  if (found === undefined) return null;
  if (found.is_queued) return 'queued';
  return found.webhook_status === 'disabled' ? 'disabled' : 'pending';
}
