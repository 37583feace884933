/**
 * The part of a statement that appends one audit item, in the same transaction as what it tells of.
 * Each argument is an expression of that statement, `from` what they refer to.
 */
export function appendAudit(item: {
  readonly auditId: string;
  readonly tenantId: string;
  readonly eventType: string;
  readonly actorId: string;
  /** Of type json. */
  readonly payload: string;
  readonly from: string;
}): string {
  const { auditId, tenantId, eventType, actorId, payload, from } = item;
  return `
    insert into memory_audit (audit_id, tenant_id, event_type, actor_id, payload, created_at)
    select ${auditId}, ${tenantId}, ${eventType}, ${actorId}, ${payload},
      date_trunc('milliseconds', clock_timestamp())
    from ${from}`;
}
