import type { TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Connection } from './connect.ts';

/** Appends one audit item, within the transaction of what it tells of. */
export function appendAudit(
  connection: Connection,
  item: {
    readonly auditId: string;
    readonly tenantId: TenantId;
    readonly eventType: string;
    readonly actorId: string;
    readonly payload: JsonObject;
  },
): void {
  connection.run(
    `insert into memory_audit (audit_id, tenant_id, event_type, actor_id, payload, created_at)
     values (:audit_id, :tenant_id, :event_type, :actor_id, :payload, :created_at)`,
    {
      audit_id: item.auditId,
      tenant_id: item.tenantId,
      event_type: item.eventType,
      actor_id: item.actorId,
      payload: JSON.stringify(item.payload),
      created_at: connection.now(),
    },
  );
}
