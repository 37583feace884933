import { auditIdOfEvent, eventKindOf, eventTypeOf } from '../../../domain/audit/audit-item.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { COUNTED_MAX, type AuditPage, type ListAudit, type ListedItem } from '../../audit.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { isImported } from '../executions/is-imported.ts';
import {
  AUDIT_LOOK,
  isLookBounded,
  mayBeEvents,
  placeBefore,
  placeOfLast,
} from '../../rows/audit-look.ts';
import { takePage } from '../../rows/take-page.ts';
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

/** With a filter the matching items lie this much farther apart, and farther. */
const WIDEN_BY = 16;

/** Both halves come in order of time from their indexes, so a page reads no more than it shows. */
export function listAudit(connection: Connection, params: ListAudit): AuditPage {
  return { ...readPage(connection, params), ...countItems(connection, params) };
}

/** With a filter, matches may be far apart: each look goes farther back, up to the bound of the request. */
function readPage(connection: Connection, params: ListAudit): Pick<AuditPage, 'items' | 'next'> {
  const { limit, offset, look = AUDIT_LOOK } = params;
  const isBounded = isLookBounded(params);
  const until = params.after?.createdAt ?? params.until ?? null;
  const began = performance.now();
  for (let reach = offset + limit; ; reach *= WIDEN_BY) {
    const isLast = reach >= look.itemsMax;
    const looksAt = isLast ? look.itemsMax : reach;
    const from = isBounded ? findSince(connection, params, until, looksAt) : null;
    // One more than the page, so that a last page that is full has no place to continue from.
    const items = readSince(connection, { ...params, limit: limit + 1 }, from);
    const { rows, last } = takePage(items, limit);
    if (last !== undefined) return { items: rows, next: placeOfLast(rows) };
    if (from === null || reachesAll(params, from)) return { items, next: null };
    if (items.length === limit) return { items, next: placeOfLast(items) };
    if (isLast || performance.now() - began > look.msMax) {
      return { items, next: placeBefore(toIso(from)) };
    }
  }
}

/** Whether everything that is asked for is behind this moment; null: the beginning. */
function reachesAll({ since = null }: ListAudit, from: number | null): boolean {
  return from === null || (since !== null && from <= Date.parse(since));
}

/** From when on there are at least `reach` events or other items before `until`; null: look at all. */
function findSince(
  connection: Connection,
  params: ListAudit,
  until: string | null,
  reach: number,
): number | null {
  const row = connection.get<{ readonly since: number | null }>(
    mayBeEvents(params) ? SINCE.events : SINCE.log,
    {
      tenant_id: params.tenantId,
      until: until === null ? Number.MAX_SAFE_INTEGER : Date.parse(until),
      reach,
    },
  );
  return row?.since ?? null;
}

const LOGGED = `select *
     from (
       select a.created_at
       from audit_log as a
       where a.tenant_id = :tenant_id
         and a.created_at < :until
       order by a.created_at desc
       limit 1 offset :reach
     )`;

/** `log`: no event can match. */
export const SINCE = {
  log: `select max(created_at) as since
   from (
     ${LOGGED}
   )`,
  events: `select max(created_at) as since
   from (
     select *
     from (
       select e.created_at
       from events as e
       where e.created_at < :until
       order by e.created_at desc
       limit 1 offset :reach
     )
     union all
     ${LOGGED}
   )`,
} as const;

function readSince(
  connection: Connection,
  params: ListAudit,
  from: number | null,
): readonly ListedItem[] {
  const { events, log, bindings } = conditionsOf(params);
  const { after = null } = params;
  const rows = connection.all<ItemRecord>(
    `select e.execution_id as key, e.sequence, e.execution_id, e.kind as event_type, e.node_id,
       e.actor_id, null as payload, e.created_at
     from events as e
     join executions as x on x.id = e.execution_id
     where ${events}
       and e.created_at >= :from
       and (e.created_at, e.execution_id, e.sequence) < (:before, :key, :sequence)
     union all
     select a.audit_id, null, a.execution_id, a.event_type, null, a.actor_id, a.payload,
       a.created_at
     from audit_log as a
     where ${log}
       and a.created_at >= :from
       and (a.created_at, a.audit_id, 0) < (:before, :key, :sequence)
     order by 8 desc, 1 desc, 2 desc
     limit :limit offset :offset`,
    {
      ...bindings,
      from: from ?? 0,
      before: after === null ? Number.MAX_SAFE_INTEGER : Date.parse(after.createdAt),
      key: after?.key ?? '',
      sequence: after?.sequence ?? 0,
      limit: params.limit,
      offset: params.offset,
    },
  );
  return rows.map((row) => decodeItem(row, params.tenantId));
}

type Total = Pick<AuditPage, 'total' | 'totalIsExact'>;

/** Large tenants have more than a request may read, so only so many are counted. */
function countItems(connection: Connection, params: ListAudit): Total {
  const { isFiltered } = conditionsOf(params);
  return isFiltered ? countMatches(connection, params) : countNewest(connection, params);
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

function countMatches(connection: Connection, params: ListAudit): Total {
  const { events, log, bindings } = conditionsOf(params);
  const { executionId, until = null } = params;
  const from = executionId === null ? findSince(connection, params, until, COUNTED_MAX) : null;
  const row = connection.get<{ readonly total: number }>(
    `select count(*) as total
     from (
       select 1
       from events as e
       join executions as x on x.id = e.execution_id
       where ${events}
         and e.created_at >= :from
       union all
       select 1
       from audit_log as a
       where ${log}
         and a.created_at >= :from
     )`,
    { ...bindings, from: from ?? 0 },
  );
  return { total: row?.total ?? 0, totalIsExact: reachesAll(params, from) };
}

/** The text varies with the filters in use, so that each combination finds its index. */
function conditionsOf(params: ListAudit) {
  const { tenantId, executionId, actorId, eventType, since = null, until = null } = params;
  const events = ['x.tenant_id = :tenant_id', `not ${isImported('e.execution_id')}`];
  const log = ['a.tenant_id = :tenant_id'];
  const bindings: Record<string, Bindable> = { tenant_id: tenantId };
  if (!mayBeEvents(params)) events.push('false');
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
    bindings['kind'] = eventKindOf(eventType);
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
