import {
  composeWindow,
  FIRST_WINDOW_HEAD,
  type Seal,
  type SealHead,
  type Window,
  type WindowHead,
} from '../../../domain/audit/seal.ts';
import type { AuditStore, SealingRound } from '../../audit.ts';
import { readSealable } from './items.ts';
import type { Connection } from '../connection/connect.ts';
import { isImported } from '../executions/is-imported.ts';
import { toIso } from '../rows.ts';

/*
 * One write transaction reads the window and seals it, so nobody else writes meanwhile and later
 * items get a later time: the clock is read within a transaction, and never goes back behind the
 * last window. The current millisecond belongs to the next window.
 */
export function createSealer(connection: Connection): AuditStore['seal'] {
  return (params) => connection.write(() => sealWindow(connection, params));
}

function sealWindow(
  connection: Connection,
  params: { readonly itemsMax: number; readonly lagMs: number },
): SealingRound {
  const now = connection.now();
  const head = readHead(connection);
  const from = Date.parse(head.coversTo);
  const horizon = now - params.lagMs;
  const coversTo = findEnd(connection, { from, horizon, itemsMax: params.itemsMax });
  const behindMs = Math.max(0, now - Math.max(coversTo, from));
  const round = { more: coversTo < horizon, behindMs, roundTrips: 1 };
  if (coversTo <= from) return { ...round, items: 0, more: false };
  const items = readSealable(connection, { from, to: coversTo, tenantId: null });
  const tenants = new Set(items.map(({ tenantId }) => tenantId));
  tenants.delete(null);
  if (tenants.size === 0) return { ...round, items: 0 };
  const heads = new Map<string, SealHead>();
  for (const tenantId of tenants) {
    const last = tenantId === null ? undefined : readSealHead(connection, tenantId);
    if (tenantId !== null && last !== undefined) heads.set(tenantId, last);
  }
  const sealedAt = toIso(now);
  const composed = composeWindow({ head, coversTo: toIso(coversTo), sealedAt, items, heads });
  insertWindow(connection, composed.window);
  for (const seal of composed.seals) insertSeal(connection, seal);
  return { ...round, items: items.length };
}

/** The horizon, or the end of the millisecond in which there are enough events or other items. */
function findEnd(
  connection: Connection,
  params: { readonly from: number; readonly horizon: number; readonly itemsMax: number },
): number {
  const { from, horizon, itemsMax } = params;
  const last = connection.get<{ readonly created_at: number | null }>(
    `select min(created_at) as created_at
     from (
       select *
       from (
         select e.created_at
         from events as e
         where e.created_at >= :from
           and e.created_at < :horizon
           and not ${isImported('e.execution_id')}
         order by e.created_at
         limit 1 offset :skipped
       )
       union all
       select *
       from (
         select a.created_at
         from audit_log as a
         where a.created_at >= :from
           and a.created_at < :horizon
         order by a.created_at
         limit 1 offset :skipped
       )
     )`,
    { from, horizon, skipped: itemsMax - 1 },
  );
  return Math.min(horizon, (last?.created_at ?? horizon) + 1);
}

function readHead(connection: Connection): WindowHead {
  const row = connection.get<{
    readonly window_number: number;
    readonly covers_to: number;
    readonly hash: string;
  }>(
    `select window_number, covers_to, hash
     from audit_windows
     order by window_number desc
     limit 1`,
  );
  if (row === undefined) return FIRST_WINDOW_HEAD;
  return { windowNumber: row.window_number, coversTo: toIso(row.covers_to), hash: row.hash };
}

function readSealHead(connection: Connection, tenantId: string): SealHead | undefined {
  const row = connection.get<{
    readonly seal_number: number;
    readonly covers_to: number;
    readonly hash: string;
  }>(
    `select seal_number, covers_to, hash
     from audit_seals
     where tenant_id = :tenant_id
     order by seal_number desc
     limit 1`,
    { tenant_id: tenantId },
  );
  return row && { sealNumber: row.seal_number, coversTo: toIso(row.covers_to), hash: row.hash };
}

function insertWindow(connection: Connection, window: Window): void {
  connection.run(
    `insert into audit_windows (
       window_number, covers_from, covers_to, previous_hash, hash, sealed_at
     )
     values (:window_number, :covers_from, :covers_to, :previous_hash, :hash, :sealed_at)`,
    {
      window_number: window.windowNumber,
      covers_from: Date.parse(window.coversFrom),
      covers_to: Date.parse(window.coversTo),
      previous_hash: window.previousHash,
      hash: window.hash,
      sealed_at: Date.parse(window.sealedAt),
    },
  );
}

function insertSeal(connection: Connection, seal: Seal): void {
  connection.run(
    `insert into audit_seals (
       tenant_id, seal_number, window_number, covers_from, covers_to, item_count, members,
       previous_hash, hash
     )
     values (
       :tenant_id, :seal_number, :window_number, :covers_from, :covers_to, :item_count, :members,
       :previous_hash, :hash
     )`,
    {
      tenant_id: seal.tenantId,
      seal_number: seal.sealNumber,
      window_number: seal.windowNumber,
      covers_from: Date.parse(seal.coversFrom),
      covers_to: Date.parse(seal.coversTo),
      item_count: seal.itemCount,
      members: seal.members,
      previous_hash: seal.previousHash,
      hash: seal.hash,
    },
  );
}
