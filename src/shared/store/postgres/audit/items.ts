import { sql } from 'slonik';
import { z } from 'zod';

import type { SealableItem } from '../../../domain/audit/seal.ts';
import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import type { Management } from '../connection/management.ts';
import { boundsOf } from '../rows.ts';

const ItemsRecord = z.object({ items: z.string() });

/** A row as the statement packs it: one text for all rows costs a tenth of a row for each. */
type PackedItem = readonly [
  tenantId: string | null,
  key: string,
  sequence: number | null,
  executionId: string | null,
  eventType: string,
  nodeId: string | null,
  actorId: string,
  payloadHash: string,
  createdMicros: number,
];

export interface TimeRange {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

/**
 * Payloads are hashed where they are: what is proved of them needs 32 bytes to be carried here.
 * Executions are looked up by the ids that were found, since a plan by estimates reads all of them.
 * Events of imported executions are no items: they were recorded elsewhere.
 */
export async function readSealable(
  management: Management,
  params: TimeRange & {
    readonly tenantId: TenantId | null;
    /** Null: all, however many. */
    readonly limit: number | null;
  },
): Promise<readonly SealableItem[]> {
  const { from, to, tenantId, limit } = params;
  // For a single tenant it is unknown how many events lie before the wanted number of its own. With
  // a limit, the statement drops no rows that it found, so that the limit also holds for the
  // answer: rows that are no item have no tenant then.
  const eventsMax = tenantId === null ? limit : null;
  const [row] = await management.any(sql.type(ItemsRecord)`
    with found as materialized (
      select e.execution_id, e.sequence, e.kind, e.node_id, e.actor_id, e.payload, e.created_at
      from events e
      where e.created_at >= ${from}::timestamptz
        and e.created_at < ${to}::timestamptz
      limit ${eventsMax}
    ),
    imported as materialized (
      select distinct i.execution_id
      from imported_executions i
      where i.execution_id = any(array(select distinct f.execution_id from found f))
    ),
    owners as materialized (
      select x.id, x.tenant_id
      from executions x
      where x.id = any(array(select distinct f.execution_id from found f))
        and x.id not in (select m.execution_id from imported m)
    )
    select coalesce(json_agg(json_build_array(
        i.tenant_id, i.key, i.sequence, i.execution_id, i.event_type, i.node_id, i.actor_id,
        encode(sha256(convert_to(i.payload::text, 'UTF8')), 'hex'),
        (extract(epoch from i.created_at) * 1000000)::int8
      )), '[]')::text as items
    from (
      select *
      from (
        select x.tenant_id, e.execution_id as key, e.sequence, e.execution_id,
          e.kind as event_type, e.node_id, e.actor_id, e.payload, e.created_at
        from found e
        left join owners x on x.id = e.execution_id
        where (${tenantId}::text is null or x.tenant_id = ${tenantId})
          and (x.id is not null or ${eventsMax}::int8 is not null or not exists (
            select from retired_executions r where r.execution_id = e.execution_id
          ) and e.execution_id not in (select m.execution_id from imported m))
        union all
        select a.tenant_id, a.audit_id, null, a.execution_id, a.event_type, null, a.actor_id,
          a.payload, a.created_at
        from audit_log a
        where a.created_at >= ${from}::timestamptz
          and a.created_at < ${to}::timestamptz
          and (${tenantId}::text is null or a.tenant_id = ${tenantId})
      ) u
      limit ${limit}
    ) i`);
  const packed = JSON.parse(row?.items ?? '[]') as readonly PackedItem[];
  return packed.map(unpack);
}

/** The events of these executions, whenever they were. */
export async function readHistories(
  management: Management,
  executionIds: readonly string[],
): Promise<readonly SealableItem[]> {
  const { least, greatest } = boundsOf(executionIds);
  const [row] = await management.any(sql.type(ItemsRecord)`
    select coalesce(json_agg(json_build_array(
        x.tenant_id, e.execution_id, e.sequence, e.execution_id, e.kind, e.node_id, e.actor_id,
        encode(sha256(convert_to(e.payload::text, 'UTF8')), 'hex'),
        (extract(epoch from e.created_at) * 1000000)::int8
      )), '[]')::text as items
    from events e
    join executions x on x.id = e.execution_id
    where e.execution_id = any(${sql.array([...executionIds], 'uuid')})
      and e.execution_id >= ${least}::uuid
      and e.execution_id <= ${greatest}::uuid`);
  const packed = JSON.parse(row?.items ?? '[]') as readonly PackedItem[];
  return packed.map(unpack);
}

function unpack(item: PackedItem): SealableItem {
  const [tenantId, key, sequence, executionId, eventType, nodeId, actorId, payloadHash, micros] =
    item;
  return {
    tenantId,
    // An event's key is its execution.
    key: sequence === null ? key : executionIdFromUuid(key),
    sequence,
    executionId: executionId === null ? null : executionIdFromUuid(executionId),
    eventType,
    nodeId,
    actorId,
    payloadHash,
    createdMicros: micros,
  };
}
