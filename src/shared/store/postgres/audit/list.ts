import { sql } from 'slonik';
import { z } from 'zod';

import { auditIdOfEvent, eventKindOf, eventTypeOf } from '../../../domain/audit/audit-item.ts';
import { executionIdFromUuid, parseExecutionId, type TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import {
  COUNTED_MAX,
  type AuditPage,
  type AuditPlace,
  type ListAudit,
  type ListedItem,
} from '../../audit.ts';
import {
  AUDIT_LOOK,
  isLookBounded,
  mayBeEvents,
  placeBefore,
  placeOfLast,
} from '../../rows/audit-look.ts';
import { takePage } from '../../rows/take-page.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';

const ItemRecord = z.object({
  key: z.string(),
  sequence: z.int().nullable(),
  execution_id: z.string().nullable(),
  event_type: z.string(),
  node_id: z.string().nullable(),
  actor_id: z.string(),
  payload: z.string().nullable(),
  created_at: z.string(),
});

const TotalRecord = z.object({ total: z.int() });
const NewestRecord = TotalRecord.extend({ is_exact: z.boolean() });
const SinceRecord = z.object({ since: z.string() });

/** How many seals a bounded look reads. */
const SEALS_MAX = 2_000;
/** With a filter the matching items lie this much farther apart, and farther. */
const WIDEN_BY = 16;

export async function listAudit(management: Management, params: ListAudit): Promise<AuditPage> {
  const [{ items, next }, { total, totalIsExact }] = await Promise.all([
    readPage(management, params),
    countItems(management, params),
  ]);
  // A page may reach farther back than the count.
  return { items, next, total: Math.max(total, leastOf(params, items)), totalIsExact };
}

function leastOf({ offset }: ListAudit, items: readonly unknown[]): number {
  return items.length === 0 ? 0 : offset + items.length;
}

/**
 * Events have no index of their own by tenant and time. The tenant's seals tell how far back its
 * newest items reach, and from there on the summaries by time find them. Where that was not far
 * enough, because of a filter, the next look goes farther back, up to the bound of the request.
 */
async function readPage(
  management: Management,
  params: ListAudit,
): Promise<Pick<AuditPage, 'items' | 'next'>> {
  const { tenantId, executionId, limit, offset, look = AUDIT_LOOK } = params;
  const isBounded = isLookBounded(params);
  const until = params.after?.createdAt ?? params.until ?? null;
  const began = performance.now();
  const more = { ...params, limit: limit + 1 };
  let items: readonly ListedItem[] = [];
  let readFrom: string | null | undefined;
  for (let reach = offset + limit; ; reach *= WIDEN_BY) {
    const isLast = isBounded && reach >= look.itemsMax;
    const wanted = { tenantId, reach: isLast ? look.itemsMax : reach, until };
    const seals = isBounded ? SEALS_MAX : Math.max(SEALS_MAX, reach);
    const since = executionId === null ? await findSince(management, params, wanted, seals) : null;
    // One more than the page, so that a last page that is full has no place to continue from.
    if (since !== readFrom) items = await readSince(management, more, since);
    readFrom = since;
    const { rows, last } = takePage(items, limit);
    if (last !== undefined) return { items: rows, next: placeOfLast(rows) };
    if (since === null || reachesAll(params, since)) return { items, next: null };
    if (items.length === limit) return { items, next: placeOfLast(items) };
    const isOver = isLast || (isBounded && performance.now() - began > look.msMax);
    if (isOver) return { items, next: placeBefore(since) };
  }
}

/** Whether everything that is asked for is behind this moment; null: the beginning. */
function reachesAll({ since: wanted = null }: ListAudit, since: string | null): boolean {
  if (since === null) return true;
  return wanted !== null && Date.parse(since) <= Date.parse(wanted);
}

interface Reach {
  readonly tenantId: TenantId;
  /** How many items of the tenant lie between the moment that is looked for and `until`. */
  readonly reach: number;
  readonly until: string | null;
}

/** From when on the tenant has so many items, or all that its newest seals cover; null: look at all. */
function findSince(
  management: Management,
  filter: ListAudit,
  wanted: Reach,
  sealsMax: number,
): Promise<string | null> {
  return mayBeEvents(filter)
    ? findSealedSince(management, wanted, sealsMax)
    : findLoggedSince(management, wanted);
}

async function findLoggedSince(
  management: Management,
  { tenantId, reach, until }: Reach,
): Promise<string | null> {
  const [row] = await management.any(
    sql.type(SinceRecord)`
    select a.created_at as since
    from audit_log a
    where a.tenant_id = ${tenantId}
      and a.created_at < ${until ?? 'infinity'}::timestamptz
    order by a.created_at desc, a.audit_id desc
    limit 1
    offset ${reach}`,
    { tenant: tenantId },
  );
  return row?.since ?? null;
}

/** A tenant's seals are in the order of time, so the last one that ends before `until` is found by halving. */
async function findSealedSince(
  management: Management,
  { tenantId, reach, until }: Reach,
  sealsMax: number,
): Promise<string | null> {
  const [row] = await management.any(
    sql.type(SinceRecord)`
    with recursive halves as (
      select 0 as low, coalesce(max(s.seal_number), 0) as high
      from audit_seals s
      where s.tenant_id = ${tenantId}
      union all
      select case when m.is_before then h.middle else h.low end,
        case when m.is_before then h.high else h.middle - 1 end
      from (select low, high, (low + high + 1) / 2 as middle from halves where low < high) h
      cross join lateral (
        select coalesce(bool_and(s.covers_to <= ${until}::timestamptz), false) as is_before
        from audit_seals s
        where s.tenant_id = ${tenantId}
          and s.seal_number = h.middle
      ) m
      where ${until}::timestamptz is not null
    )
    select w.covers_from as since
    from audit_windows w
    where w.window_number = (
        select coalesce(
          max(r.window_number) filter (where r.reach >= ${reach}),
          case when count(*) = ${sealsMax} then min(r.window_number) end
        )
        from (
          select n.window_number, sum(n.item_count) over (order by n.seal_number desc) as reach
          from (
            select s.window_number, s.seal_number, s.item_count
            from audit_seals s
            where s.tenant_id = ${tenantId}
              and s.seal_number <= (select min(h.high) from halves h)
            order by s.seal_number desc
            limit ${sealsMax}
          ) n
        ) r
      )`,
    { tenant: tenantId },
  );
  return row?.since ?? null;
}

async function readSince(
  management: Management,
  params: ListAudit,
  since: string | null,
): Promise<readonly ListedItem[]> {
  const { limit, offset } = params;
  const from = since ?? '-infinity';
  const place = placeOf(params.after ?? null);
  const rows = await management.any(
    sql.type(ItemRecord)`
    select i.key, i.sequence, i.execution_id, i.event_type, i.node_id, i.actor_id, i.payload,
      i.created_at
    from (
      (
        select e.execution_id as key, e.sequence, e.execution_id, e.kind as event_type, e.node_id,
          e.actor_id, null::json as payload, e.created_at
        from events e
        ${joinOwner(params)}
        where ${eventConditions(params)}
          and e.created_at >= ${from}::timestamptz
          and (e.created_at, e.execution_id, e.sequence) < ${place}
        order by e.created_at desc, e.execution_id desc, e.sequence desc
        limit ${offset + limit}
      )
      union all
      (
        select a.audit_id, null, a.execution_id, a.event_type, null, a.actor_id, a.payload,
          a.created_at
        from audit_log a
        where ${logConditions(params)}
          and a.created_at >= ${from}::timestamptz
          and (a.created_at, a.audit_id, 0) < ${place}
        order by a.created_at desc, a.audit_id desc
        limit ${offset + limit}
      )
    ) i
    order by i.created_at desc, i.key desc, i.sequence desc
    limit ${limit}
    offset ${offset}`,
    { tenant: params.tenantId },
  );
  return rows.map((row) => decodeItem(row, params.tenantId));
}

/** Every item of the page comes before this place in the order of time. */
function placeOf(after: AuditPlace | null) {
  if (after === null) return sql.fragment`('infinity'::timestamptz, ${LAST_UUID}::uuid, 0)`;
  const { createdAt, key, sequence } = after;
  const executionId = parseExecutionId(key);
  const id = executionId === null ? key : toUuid(executionId);
  return sql.fragment`(${createdAt}::timestamptz, ${id}::uuid, ${sequence}::int)`;
}

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

type Total = Pick<AuditPage, 'total' | 'totalIsExact'>;

/** Large tenants have more than a request may read, so only the newest are counted. */
function countItems(management: Management, params: ListAudit): Promise<Total> {
  const { executionId, actorId, eventType, since = null, until = null } = params;
  const isFiltered = [executionId, actorId, eventType, since, until].some((of) => of !== null);
  return isFiltered ? countMatches(management, params) : countNewest(management, params);
}

/** The executions know how many events they have: their histories have no gaps. */
async function countNewest(management: Management, { tenantId }: ListAudit): Promise<Total> {
  const [row] = await management.any(
    sql.type(NewestRecord)`
    select (e.items + l.items)::int8 as total,
      e.executions <= ${COUNTED_MAX} and l.items <= ${COUNTED_MAX} as is_exact
    from (
        select count(*) as executions, coalesce(sum(n.last_sequence) filter (
          where not (
            (select exists (select from imported_executions))
            and exists (select from imported_executions m where m.execution_id = n.id)
          )
        ), 0) as items
        from (
          select x.id, x.last_sequence
          from executions x
          where x.tenant_id = ${tenantId}
          order by x.created_at desc, x.id desc
          limit ${COUNTED_MAX + 1}
        ) n
      ) e,
      (
        select count(*) as items
        from (
          select
          from audit_log a
          where a.tenant_id = ${tenantId}
          order by a.created_at desc, a.audit_id desc
          limit ${COUNTED_MAX + 1}
        ) n
      ) l`,
    { tenant: tenantId },
  );
  return { total: row?.total ?? 0, totalIsExact: row?.is_exact ?? true };
}

async function countMatches(management: Management, params: ListAudit): Promise<Total> {
  const { tenantId, executionId } = params;
  const wanted = { tenantId, reach: COUNTED_MAX, until: null };
  const since =
    executionId === null ? await findSince(management, params, wanted, SEALS_MAX) : null;
  const from = since ?? '-infinity';
  const [row] = await management.any(
    sql.type(TotalRecord)`
    select (
        (
          select count(*)
          from events e
          ${joinOwner(params)}
          where ${eventConditions(params)}
            and e.created_at >= ${from}::timestamptz
        )
        + (
          select count(*)
          from audit_log a
          where ${logConditions(params)}
            and a.created_at >= ${from}::timestamptz
        )
      )::int8 as total`,
    { tenant: tenantId },
  );
  return { total: row?.total ?? 0, totalIsExact: reachesAll(params, since) };
}

function eventConditions(params: ListAudit) {
  const { executionId, actorId, eventType, since, until } = params;
  const kind = eventType === null ? null : eventKindOf(eventType);
  return sql.fragment`${mayBeEvents(params)}::bool
    and (${executionId && toUuid(executionId)}::uuid is null
      or e.execution_id = ${executionId && toUuid(executionId)}::uuid)
    and (${kind}::text is null or e.kind = ${kind})
    and (${actorId}::text is null or e.actor_id = ${actorId})
    and e.created_at >= ${since ?? '-infinity'}::timestamptz
    and e.created_at < ${until ?? 'infinity'}::timestamptz`;
}

/** Looked up for each event: with old statistics, a join by estimates reads all executions of the tenant. */
function joinOwner({ tenantId }: ListAudit) {
  return sql.fragment`cross join lateral (
      select x.id
      from executions x
      where x.id = e.execution_id
        and x.tenant_id = ${tenantId}
        and not exists (select from imported_executions m where m.execution_id = x.id)
      limit 1
    ) x`;
}

function logConditions(params: ListAudit) {
  const { tenantId, executionId, actorId, eventType, since, until } = params;
  return sql.fragment`a.tenant_id = ${tenantId}
    and (${executionId && toUuid(executionId)}::uuid is null
      or a.execution_id = ${executionId && toUuid(executionId)}::uuid)
    and (${eventType}::text is null or a.event_type = ${eventType})
    and (${actorId}::text is null or a.actor_id = ${actorId})
    and a.created_at >= ${since ?? '-infinity'}::timestamptz
    and a.created_at < ${until ?? 'infinity'}::timestamptz`;
}

function decodeItem(row: z.infer<typeof ItemRecord>, tenantId: TenantId): ListedItem {
  const { sequence } = row;
  const executionId = row.execution_id === null ? null : executionIdFromUuid(row.execution_id);
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
    createdAt: row.created_at,
  };
}
