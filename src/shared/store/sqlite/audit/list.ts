import { auditIdOfEvent, eventKindOf, eventTypeOf } from '../../../domain/audit/audit-item.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { COUNTED_MAX, type AuditPage, type ListAudit, type ListedItem } from '../../audit.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { isImported } from '../executions/is-imported.ts';
import { toIso } from '../rows.ts';

interface ItemRecord {
  readonly key: string;
  readonly sequence: number | null;
  readonly execution_id: string | null;
  readonly event_type: string;
  readonly node_id: string | null;
  readonly actor_id: string;
  readonly payload: string | null;
  readonly created_at: number;
}

/** Both halves come in order of time from their indexes, so a page reads no more than it shows. */
export function listAudit(connection: Connection, params: ListAudit): AuditPage {
  const { events, log, bindings } = conditionsOf(params);
  const { after = null } = params;
  const items = connection.all<ItemRecord>(
    `select e.execution_id as key, e.sequence, e.execution_id, e.kind as event_type, e.node_id,
       e.actor_id, null as payload, e.created_at
     from events as e
     join executions as x on x.id = e.execution_id
     where ${events}
       and (e.created_at, e.execution_id, e.sequence) < (:before, :key, :sequence)
     union all
     select a.audit_id, null, a.execution_id, a.event_type, null, a.actor_id, a.payload,
       a.created_at
     from audit_log as a
     where ${log}
       and (a.created_at, a.audit_id, 0) < (:before, :key, :sequence)
     order by 8 desc, 1 desc, 2 desc
     limit :limit offset :offset`,
    {
      ...bindings,
      before: after === null ? Number.MAX_SAFE_INTEGER : Date.parse(after.createdAt),
      key: after?.key ?? '',
      sequence: after?.sequence ?? 0,
      limit: params.limit,
      offset: params.offset,
    },
  );
  return {
    items: items.map((row) => decodeItem(row, params.tenantId)),
    ...countItems(connection, params),
  };
}

type Total = Pick<AuditPage, 'total' | 'totalIsExact'>;

/** Large tenants have more than a request may read, so only so many are counted. */
function countItems(connection: Connection, params: ListAudit): Total {
  const { isFiltered } = conditionsOf(params);
  if (!isFiltered) return countNewest(connection, params);
  const limit = params.executionId === null ? COUNTED_MAX + 1 : -1;
  const total = countMatches(connection, params, limit);
  return { total, totalIsExact: limit === -1 || total < limit };
}

/** The executions know how many events they have: their histories have no gaps. */
function countNewest(connection: Connection, { tenantId }: ListAudit): Total {
  const row = connection.get<{
    readonly executions: number;
    readonly events: number;
    readonly others: number;
  }>(
    `select count(*) as executions,
       coalesce(sum(n.last_sequence) filter (where not ${isImported('n.id')}), 0) as events,
       (
         select count(*)
         from (select 1 from audit_log where tenant_id = :tenant_id limit :limit)
       ) as others
     from (
       select id, last_sequence
       from executions
       where tenant_id = :tenant_id
       order by created_at desc, id desc
       limit :limit
     ) as n`,
    { tenant_id: tenantId, limit: COUNTED_MAX + 1 },
  );
  const { executions = 0, events = 0, others = 0 } = row ?? {};
  const totalIsExact = executions <= COUNTED_MAX && others <= COUNTED_MAX;
  return { total: events + others, totalIsExact };
}

function countMatches(connection: Connection, params: ListAudit, limit: number): number {
  const { events, log, bindings } = conditionsOf(params);
  const row = connection.get<{ readonly total: number }>(
    `select count(*) as total
     from (
       select 1
       from events as e
       join executions as x on x.id = e.execution_id
       where ${events}
       union all
       select 1
       from audit_log as a
       where ${log}
       limit :limit
     )`,
    { ...bindings, limit },
  );
  return row?.total ?? 0;
}

/** The text varies with the filters in use, so that each combination finds its index. */
function conditionsOf(params: ListAudit) {
  const { tenantId, executionId, actorId, eventType, since = null, until = null } = params;
  const events = ['x.tenant_id = :tenant_id', `not ${isImported('e.execution_id')}`];
  const log = ['a.tenant_id = :tenant_id'];
  const bindings: Record<string, Bindable> = { tenant_id: tenantId };
  if (executionId !== null) {
    events.push('e.execution_id = :execution_id');
    log.push('a.execution_id = :execution_id');
    bindings['execution_id'] = executionId;
  }
  if (actorId !== null) {
    events.push('e.actor_id = :actor_id');
    log.push('a.actor_id = :actor_id');
    bindings['actor_id'] = actorId;
  }
  if (eventType !== null) {
    events.push('e.kind = :kind');
    log.push('a.event_type = :event_type');
    // No event has the kind '', so a type that none can have finds none.
    bindings['kind'] = eventKindOf(eventType) ?? '';
    bindings['event_type'] = eventType;
  }
  if (since !== null) {
    events.push('e.created_at >= :since');
    log.push('a.created_at >= :since');
    bindings['since'] = Date.parse(since);
  }
  if (until !== null) {
    events.push('e.created_at < :until');
    log.push('a.created_at < :until');
    bindings['until'] = Date.parse(until);
  }
  return {
    events: events.join(' and '),
    log: log.join(' and '),
    bindings,
    isFiltered: Object.keys(bindings).length > 1,
  };
}

function decodeItem(row: ItemRecord, tenantId: TenantId): ListedItem {
  const { sequence } = row;
  const executionId = row.execution_id as ExecutionId | null;
  const isEvent = sequence !== null && executionId !== null;
  return {
    id: isEvent ? auditIdOfEvent(executionId, sequence) : row.key,
    tenantId,
    executionId,
    sequence,
    eventType: isEvent ? eventTypeOf(row.event_type) : row.event_type,
    nodeId: row.node_id,
    actorId: row.actor_id,
    payload: row.payload === null ? null : (JSON.parse(row.payload) as JsonObject),
    createdAt: toIso(row.created_at),
  };
}
