import { hash } from 'node:crypto';

import type { SealableItem } from '../../../domain/audit/seal.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { Connection } from '../connection/connect.ts';
import { isImported } from '../executions/is-imported.ts';

interface ItemRecord {
  readonly tenant_id: string | null;
  readonly key: string;
  readonly sequence: number | null;
  readonly execution_id: string | null;
  readonly event_type: string;
  readonly node_id: string | null;
  readonly actor_id: string;
  readonly payload_hash: string;
  readonly created_at: number;
}

/** Milliseconds since the epoch. */
export interface TimeRange {
  /** Inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * Payloads are hashed one by one as they are read, and never held together. Events of imported
 * executions are no items: they were recorded elsewhere.
 */
export function readSealable(
  connection: Connection,
  params: TimeRange & { readonly tenantId: TenantId | null },
): readonly SealableItem[] {
  return connection
    .all<ItemRecord>(
      `select x.tenant_id, e.execution_id as key, e.sequence, e.execution_id, e.kind as event_type,
         e.node_id, e.actor_id, sha256_hex(e.payload) as payload_hash, e.created_at
       from events as e
       left join executions as x on x.id = e.execution_id
       where e.created_at >= :from
         and e.created_at < :to
         and (:tenant_id is null or x.tenant_id = :tenant_id)
         and (x.id is not null or not exists (
           select 1 from retired_executions as r where r.execution_id = e.execution_id
         ))
         and not ${isImported('e.execution_id')}
       union all
       select a.tenant_id, a.audit_id, null, a.execution_id, a.event_type, null, a.actor_id,
         sha256_hex(a.payload), a.created_at
       from audit_log as a
       where a.created_at >= :from
         and a.created_at < :to
         and (:tenant_id is null or a.tenant_id = :tenant_id)`,
      { from: params.from, to: params.to, tenant_id: params.tenantId },
    )
    .map(toSealable);
}

/** The events of these executions, whenever they were. */
export function readHistories(
  connection: Connection,
  executionIds: readonly string[],
): readonly SealableItem[] {
  return connection
    .all<ItemRecord>(
      `select x.tenant_id, e.execution_id as key, e.sequence, e.execution_id, e.kind as event_type,
         e.node_id, e.actor_id, sha256_hex(e.payload) as payload_hash, e.created_at
       from events as e
       join executions as x on x.id = e.execution_id
       where e.execution_id in (select value from json_each(:ids))`,
      { ids: JSON.stringify(executionIds) },
    )
    .map(toSealable);
}

function toSealable(row: ItemRecord): SealableItem {
  return {
    tenantId: row.tenant_id,
    key: row.key,
    sequence: row.sequence,
    executionId: row.execution_id,
    eventType: row.event_type,
    nodeId: row.node_id,
    actorId: row.actor_id,
    payloadHash: row.payload_hash,
    createdMicros: row.created_at * 1000,
  };
}

/** The function that the statement above asks for; SQLite has none of its own. */
export function provideSha256(connection: Connection): void {
  connection.database.function('sha256_hex', { deterministic: true }, (text) =>
    hash('sha256', String(text)),
  );
}
