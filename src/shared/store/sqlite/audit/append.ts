import type { AuditEntry } from '../../../domain/audit/audit-item.ts';
import { newAuditId } from '../../rows/audit-ids.ts';
import type { Connection } from '../connection/connect.ts';

/** Writes a managing request down, in the transaction that carries it out. */
export function appendAudit(
  connection: Connection,
  entry: AuditEntry & { readonly auditId?: string },
): void {
  const { tenantId, executionId, eventType, actorId, payload } = entry;
  connection.run(
    `insert into audit_log (
       audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
     )
     values (
       :audit_id, :tenant_id, :execution_id, :event_type, :actor_id, :payload, :created_at
     )`,
    {
      audit_id: entry.auditId ?? newAuditId(),
      tenant_id: tenantId,
      execution_id: executionId,
      event_type: eventType,
      actor_id: actorId,
      payload: JSON.stringify(payload),
      created_at: Math.max(connection.now(), sealedUntil(connection)),
    },
  );
}

/**
 * Where the last window ends. Nothing may get a time before it, even if the clock was set back: it
 * would lie in a window that is sealed.
 */
export function sealedUntil(connection: Connection): number {
  const last = connection.get<{ readonly covers_to: number }>(
    `select covers_to
     from audit_windows
     order by window_number desc
     limit 1`,
  );
  return last?.covers_to ?? 0;
}
