import { sql, type FragmentSqlToken } from 'slonik';

import type { AuditEntry } from '../../../domain/audit/audit-item.ts';
import { newAuditId } from '../../rows/audit-ids.ts';
import { toUuid } from '../rows.ts';

/*
 * Managing requests are written down as one more part of the statement that carries them out, so
 * that both are done or neither. A request that changed nothing leaves no entry: the part takes its
 * rows from what was changed.
 */

/**
 * For a statement of the hot path. Each argument is an expression of that statement, `from` what
 * they refer to; `auditId` is a parameter, for one row (see `newAuditId`).
 */
export function appendAudit(item: {
  readonly auditId: string;
  readonly tenantId: string;
  /** None when not given. */
  readonly executionId?: string;
  readonly eventType: string;
  readonly actorId: string;
  /** An expression of type json. */
  readonly payload: string;
  readonly from: string;
}): string {
  const { auditId, tenantId, executionId = 'null', eventType, actorId, payload, from } = item;
  return `
    insert into audit_log (
      audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
    )
    select ${auditId}, ${tenantId}, ${executionId}, ${eventType}, ${actorId}, ${payload},
      audit_stamp()
    from ${from}`;
}

/**
 * For a statement of management, where all is known beforehand:
 *
 *     with changed as (update … returning …),
 *     audited as (${appendAuditEntry(entry, sql.fragment`changed`)})
 *     select … from changed
 */
export function appendAuditEntry(entry: AuditEntry, changed: FragmentSqlToken): FragmentSqlToken {
  const { payload, ...known } = entry;
  const from = sql.fragment`(select where exists (select from ${changed})) c`;
  return appendAuditOf(known, { payload: sql.fragment`${JSON.stringify(payload)}::json`, from });
}

/** The same where the payload holds what the statement finds out: an expression over `from`. */
export function appendAuditOf(
  entry: Omit<AuditEntry, 'payload'>,
  found: { readonly payload: FragmentSqlToken; readonly from: FragmentSqlToken },
): FragmentSqlToken {
  const { tenantId, executionId, eventType, actorId } = entry;
  return sql.fragment`
    insert into audit_log (
      audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
    )
    select ${newAuditId()}::uuid, ${tenantId},
      ${executionId === null ? null : toUuid(executionId)}::uuid, ${eventType}, ${actorId},
      ${found.payload}, audit_stamp()
    from ${found.from}`;
}
