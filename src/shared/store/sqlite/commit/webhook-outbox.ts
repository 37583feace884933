import { randomUUID } from 'node:crypto';

import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import type { WebhookMessage } from '../../../domain/webhooks/webhook.ts';
import type { Connection } from '../connection/connect.ts';

/** Writes messages for subscribed webhooks, in the transaction of the reported change. */
export function tellWebhooks(
  connection: Connection,
  params: {
    readonly executionId: string;
    readonly tenantId: string;
    /** Status of the execution before this transaction; null: it is new. */
    readonly statusBefore: ExecutionStatus | null;
    readonly messages: readonly WebhookMessage[];
    readonly now: number;
  },
): void {
  const { executionId, tenantId, statusBefore, now } = params;
  const news = params.messages.filter(
    ({ ifStatusBecomes }) => ifStatusBecomes === null || ifStatusBecomes !== statusBefore,
  );
  if (news.length === 0) return;
  const webhooks = connection.all<{
    readonly webhook_id: string;
    readonly event_types: string | null;
  }>(
    `select webhook_id, event_types
     from webhooks
     where tenant_id = :tenant_id and status = 'active'`,
    { tenant_id: tenantId },
  );
  for (const { webhook_id: webhookId, event_types: eventTypes } of webhooks) {
    const wanted = eventTypes === null ? null : (JSON.parse(eventTypes) as readonly string[]);
    for (const { eventType, data } of news) {
      if (wanted !== null && !wanted.includes(eventType)) continue;
      connection.run(
        `insert into webhook_deliveries (
           delivery_id, webhook_id, tenant_id, execution_id, event_type, data, status, attempts,
           next_attempt_at, created_at
         )
         values (
           :delivery_id, :webhook_id, :tenant_id, :execution_id, :event_type, :data, 'pending', 0,
           :now, :now
         )`,
        {
          delivery_id: randomUUID(),
          webhook_id: webhookId,
          tenant_id: tenantId,
          execution_id: executionId,
          event_type: eventType,
          data: JSON.stringify(data),
          now,
        },
      );
    }
  }
}
