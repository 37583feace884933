import { auditIdOfEvent, eventTypeOf } from '../../../domain/audit/audit-item.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { AuditStore, ExportAudit, ExportedItem } from '../../audit.ts';
import type { Connection } from '../connection/connect.ts';
import { isImported } from '../executions/is-imported.ts';
import { toIso } from '../rows.ts';

interface ItemRecord {
  readonly tenant_id: string;
  readonly key: string;
  readonly sequence: number;
  readonly execution_id: string | null;
  readonly event_type: string;
  readonly node_id: string | null;
  readonly actor_id: string;
  readonly payload: string;
  readonly created_at: number;
}

export function createExporter(connection: Connection): AuditStore['export'] {
  return (params) => connection.read(() => readPage(connection, params));
}

/** Reads from the time of `after`, since times come first in the order, and leaves out rows up to it. */
function readPage(connection: Connection, params: ExportAudit): readonly ExportedItem[] {
  const { tenantId, since, until, after, limit } = params;
  const from = after?.createdAt ?? since;
  return connection
    .all<ItemRecord>(
      `select x.tenant_id, e.execution_id as key, e.sequence, e.execution_id,
         e.kind as event_type, e.node_id, e.actor_id, e.payload, e.created_at
       from events as e
       join executions as x on x.id = e.execution_id
       where e.created_at >= :from
         and e.created_at < :until
         and (:tenant_id is null or x.tenant_id = :tenant_id)
         and (e.created_at, e.execution_id, e.sequence) > (:from, :key, :sequence)
         and not ${isImported('e.execution_id')}
       union all
       select a.tenant_id, a.audit_id, 0, a.execution_id, a.event_type, null, a.actor_id, a.payload,
         a.created_at
       from audit_log as a
       where a.created_at >= :from
         and a.created_at < :until
         and (:tenant_id is null or a.tenant_id = :tenant_id)
         and (a.created_at, a.audit_id, 0) > (:from, :key, :sequence)
       order by 9, 2, 3
       limit :limit`,
      {
        tenant_id: tenantId,
        from: from === null ? 0 : Date.parse(from),
        until: until === null ? Number.MAX_SAFE_INTEGER : Date.parse(until),
        key: after?.key ?? '',
        sequence: after?.sequence ?? 0,
        limit,
      },
    )
    .map(decodeItem);
}

function decodeItem(row: ItemRecord): ExportedItem {
  const { sequence } = row;
  const executionId = row.execution_id as ExecutionId | null;
  const isEvent = sequence > 0 && executionId !== null;
  const createdAt = toIso(row.created_at);
  return {
    id: isEvent ? auditIdOfEvent(executionId, sequence) : row.key,
    tenantId: row.tenant_id as TenantId,
    executionId,
    sequence: isEvent ? sequence : null,
    eventType: isEvent ? eventTypeOf(row.event_type) : row.event_type,
    nodeId: row.node_id,
    actorId: row.actor_id,
    payload: JSON.parse(row.payload) as JsonObject,
    createdAt,
    position: { createdAt, key: row.key, sequence },
  };
}
