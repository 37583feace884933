import { sql } from 'slonik';
import { z } from 'zod';

import { auditIdOfEvent, eventTypeOf } from '../../../domain/audit/audit-item.ts';
import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { AuditStore, ExportAudit, ExportedItem } from '../../audit.ts';
import type { Management } from '../connection/management.ts';

const ItemRecord = z.object({
  tenant_id: z.string(),
  key: z.string(),
  sequence: z.int(),
  execution_id: z.string().nullable(),
  event_type: z.string(),
  node_id: z.string().nullable(),
  actor_id: z.string(),
  payload: z.string(),
  created_at: z.string(),
});

const BoundsRecord = z.object({ first: z.string().nullable(), now: z.string() });

const SPAN_MS = { start: 60_000, max: 30 * 86_400_000 };

/** Time is walked through in spans that hold about a page, as the events' index knows no order. */
export function createExporter(management: Management): AuditStore['export'] {
  let spanMs = SPAN_MS.start;
  return async (params) => {
    const bounds = await readBounds(management, params);
    for (let from = bounds.from; from < bounds.to;) {
      const to = Math.min(from + spanMs, bounds.to);
      const rows = await readSpan(management, params, { from, to });
      if (rows.length === params.limit) spanMs = Math.max(1, Math.floor(spanMs / 2));
      else if (rows.length < params.limit / 4) spanMs = Math.min(SPAN_MS.max, spanMs * 4);
      if (rows.length > 0) return rows;
      from = to;
    }
    return [];
  };
}

async function readBounds(
  management: Management,
  params: ExportAudit,
): Promise<{ readonly from: number; readonly to: number }> {
  const known = params.after?.createdAt ?? params.since;
  const [row] = await management.any(sql.type(BoundsRecord)`
    select clock_timestamp() as now,
      case when ${known}::text is null then least(
        (select min(x.created_at) from executions x),
        (select min(l.created_at) from audit_log l)
      ) end as first`);
  if (row === undefined) throw new Error('the clock was not told');
  // Rows of the same millisecond must be included.
  const end = Date.parse(row.now) + 1;
  const to = params.until === null ? end : Math.min(end, Date.parse(params.until));
  return { from: Date.parse(known ?? row.first ?? row.now), to };
}

async function readSpan(
  management: Management,
  params: ExportAudit,
  span: { readonly from: number; readonly to: number },
): Promise<readonly ExportedItem[]> {
  const { tenantId, after, limit } = params;
  const from = new Date(span.from).toISOString();
  const to = new Date(span.to).toISOString();
  const afterKey = after?.createdAt === from ? after.key : null;
  const afterSequence = after?.sequence ?? 0;
  const rows = await management.any(sql.type(ItemRecord)`
    select i.tenant_id, i.key, i.sequence, i.execution_id, i.event_type, i.node_id, i.actor_id,
      i.payload, i.created_at
    from (
      select x.tenant_id, e.execution_id as key, e.sequence, e.execution_id, e.kind as event_type,
        e.node_id, e.actor_id, e.payload, e.created_at
      from events e
      join executions x on x.id = e.execution_id
      where e.created_at >= ${from}::timestamptz
        and e.created_at < ${to}::timestamptz
        and (${tenantId}::text is null or x.tenant_id = ${tenantId})
        and not exists (select from imported_executions m where m.execution_id = x.id)
      union all
      select a.tenant_id, a.audit_id, 0, a.execution_id, a.event_type, null, a.actor_id, a.payload,
        a.created_at
      from audit_log a
      where a.created_at >= ${from}::timestamptz
        and a.created_at < ${to}::timestamptz
        and (${tenantId}::text is null or a.tenant_id = ${tenantId})
    ) i
    where ${afterKey}::uuid is null
      or (date_trunc('milliseconds', i.created_at), i.key, i.sequence)
        > (${from}::timestamptz, ${afterKey}::uuid, ${afterSequence})
    order by date_trunc('milliseconds', i.created_at), i.key, i.sequence
    limit ${limit}`);
  return rows.map(decodeItem);
}

function decodeItem(row: z.infer<typeof ItemRecord>): ExportedItem {
  const { sequence } = row;
  const executionId = row.execution_id === null ? null : executionIdFromUuid(row.execution_id);
  const isEvent = sequence > 0 && executionId !== null;
  return {
    id: isEvent ? auditIdOfEvent(executionId, sequence) : row.key,
    tenantId: row.tenant_id as TenantId,
    executionId,
    sequence: isEvent ? sequence : null,
    eventType: isEvent ? eventTypeOf(row.event_type) : row.event_type,
    nodeId: row.node_id,
    actorId: row.actor_id,
    payload: JSON.parse(row.payload) as JsonObject,
    createdAt: row.created_at,
    position: { createdAt: row.created_at, key: row.key, sequence },
  };
}
