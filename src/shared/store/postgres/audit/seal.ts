import { sql } from 'slonik';
import { z } from 'zod';

import {
  BEGINNING_OF_TIME,
  composeWindow,
  FIRST_WINDOW_HEAD,
  type Seal,
  type SealableItem,
  type SealHead,
  type Window,
  type WindowHead,
} from '../../../domain/audit/seal.ts';
import type { AuditStore, SealingRound } from '../../audit.ts';
import { readSealable } from './items.ts';
import type { Management } from '../connection/management.ts';

/*
 * Sealing reads a window and then writes its seals, in statements of their own.
 *
 * A window must hold every item that will ever have a time within it. Commits take their time from
 * the clock and become visible later, when they are committed; so a window ends before the
 * beginning of every transaction that is writing now, and at least `FINAL_MS` ago, which is more
 * than a statement may take from its first look at the clock to its first write. If the clock is
 * set back, new items get the end of the last window instead (`audit_stamp`, and the commit's own
 * clock). Sealing takes no lock, so nobody waits for it.
 *
 * Sealers that work at the same time read the same end of the chain and want the same number. The
 * insert of the window decides; the second sealer writes nothing.
 */

/** Twice the time that a statement has. */
const FINAL_MS = 60_000;

const PointRecord = z.object({
  window_number: z.int().nullable(),
  covers_to: z.string().nullable(),
  hash: z.string().nullable(),
  stamp: z.string(),
  horizon: z.string(),
  first_item: z.string().nullable(),
});

const HeadRecord = z.object({
  tenant_id: z.string(),
  seal_number: z.int(),
  covers_to: z.string(),
  hash: z.string(),
});

const WonRecord = z.object({ won: z.boolean() });

const SPAN_MS = { start: 60_000, max: 30 * 86_400_000 };
/** Searches of one call. */
const READS_MAX = 4;
const POINT_TRIPS = 1;
/** The heads of the chains, and the window with its seals. */
const WRITE_TRIPS = 2;

/** `finalMs` is for tests, which know that nothing is under way. */
export function createSealer(
  management: Management,
  options: { readonly finalMs?: number } = {},
): AuditStore['seal'] {
  const { finalMs = FINAL_MS } = options;
  /** How much time held a round's items lately: there is no index to stop at the last of them. */
  let spanMs = SPAN_MS.start;

  async function findItems(point: SealingPoint, itemsMax: number): Promise<FoundItems> {
    let from = point.searchFrom;
    for (let reads = 1; ; reads += 1) {
      const to = Math.min(from + spanMs, point.horizon);
      // A millisecond is never divided.
      const limit = to - from > 1 ? itemsMax + 1 : null;
      const range = { from: toIso(from), to: toIso(to) };
      const items = await readSealable(management, { ...range, tenantId: null, limit });
      if (limit !== null && items.length > itemsMax) {
        spanMs = Math.max(1, Math.floor((to - from) / 4));
      } else {
        spanMs = widen({ spanMs, items: items.length, itemsMax });
        const isOwned = items.some((item) => item.tenantId !== null);
        if (isOwned || to >= point.horizon) return { coversTo: to, items, reads, isCut: false };
        from = to;
      }
      if (reads >= READS_MAX) return { coversTo: from, items: [], reads, isCut: true };
    }
  }

  return async ({ itemsMax, lagMs }) => {
    const point = await readPoint(management, finalMs + lagMs);
    if (point.searchFrom >= point.horizon) return idle(point);
    const { coversTo, items, reads, isCut } = await findItems(point, itemsMax);
    const tenants = [...new Set(items.map(({ tenantId }) => tenantId))].filter(
      (tenantId) => tenantId !== null,
    );
    const round = { more: coversTo < point.horizon, behindMs: point.now - coversTo };
    // Rows that are no item, such as the history of an imported execution, would be searched again
    // and again: a window without seals covers them.
    const isPassed = isCut && coversTo > point.searchFrom;
    if (tenants.length === 0 && !isPassed) {
      return { ...round, items: 0, roundTrips: POINT_TRIPS + reads };
    }
    const { window, seals } = composeWindow({
      head: point.head,
      coversTo: toIso(coversTo),
      sealedAt: toIso(point.now),
      items,
      heads: await readHeads(management, tenants),
    });
    const won = await insertWindow(management, { window, seals });
    const roundTrips = POINT_TRIPS + reads + WRITE_TRIPS;
    return won
      ? { ...round, items: items.length, roundTrips }
      : { items: 0, more: true, behindMs: null, roundTrips };
  };
}

/** So wide that it would hold three quarters of a window's items, if it held few. */
function widen(given: {
  readonly spanMs: number;
  readonly items: number;
  readonly itemsMax: number;
}): number {
  const { spanMs, items, itemsMax } = given;
  if (items >= itemsMax / 2) return spanMs;
  const factor = Math.min(4, (0.75 * itemsMax) / Math.max(1, items));
  return Math.min(SPAN_MS.max, Math.ceil(spanMs * factor));
}

interface FoundItems {
  readonly coversTo: number;
  readonly items: readonly SealableItem[];
  readonly reads: number;
  /** The call has searched as often as it may, and found nothing up to `coversTo`. */
  readonly isCut: boolean;
}

/** Milliseconds since the epoch. */
interface SealingPoint {
  readonly head: WindowHead;
  readonly now: number;
  /** Before this nothing changes any more. */
  readonly horizon: number;
  /** Before this there is nothing to seal. */
  readonly searchFrom: number;
}

function idle(point: SealingPoint): SealingRound {
  const behindMs = Math.max(0, point.now - point.horizon);
  return { items: 0, more: false, behindMs, roundTrips: POINT_TRIPS };
}

async function readPoint(management: Management, behindMs: number): Promise<SealingPoint> {
  const [row] = await management.any(sql.type(PointRecord)`
    select w.window_number, w.covers_to, w.hash, c.stamp,
      least(
        c.stamp - ${behindMs}::int8 * interval '1 millisecond',
        (
          select date_trunc('milliseconds', min(a.xact_start))
          from pg_stat_activity a
          where a.datname = current_database()
            and a.pid <> pg_backend_pid()
            and a.backend_xid is not null
        ),
        (
          select date_trunc('milliseconds', min(p.prepared))
          from pg_prepared_xacts p
          where p.database = current_database()
        )
      ) as horizon,
      case when w.window_number is null then least(
        (select min(x.created_at) from executions x),
        (select min(l.created_at) from audit_log l)
      ) end as first_item
    from (select date_trunc('milliseconds', clock_timestamp()) as stamp offset 0) c
    left join lateral (
      select window_number, covers_to, hash
      from audit_windows
      order by window_number desc
      limit 1
    ) w on true`);
  if (row === undefined) throw new Error('the end of the chain was not told');
  const { window_number: windowNumber, covers_to: coversTo, hash } = row;
  const head =
    windowNumber === null || coversTo === null || hash === null
      ? FIRST_WINDOW_HEAD
      : { windowNumber, coversTo, hash };
  const horizon = Date.parse(row.horizon);
  return {
    head,
    now: Date.parse(row.stamp),
    horizon,
    searchFrom:
      head.windowNumber > 0 ? Date.parse(head.coversTo) : Date.parse(row.first_item ?? row.horizon),
  };
}

async function readHeads(
  management: Management,
  tenants: readonly string[],
): Promise<ReadonlyMap<string, SealHead>> {
  const rows = await management.any(sql.type(HeadRecord)`
    select t.tenant_id, s.seal_number, s.covers_to, s.hash
    from unnest(${sql.array([...tenants], 'text')}) as t (tenant_id)
    cross join lateral (
      select seal_number, covers_to, hash
      from audit_seals
      where tenant_id = t.tenant_id
      order by seal_number desc
      limit 1
    ) s`);
  return new Map(
    rows.map((row) => [
      row.tenant_id,
      { sealNumber: row.seal_number, coversTo: row.covers_to, hash: row.hash },
    ]),
  );
}

/** False: somebody else has sealed this window. */
async function insertWindow(
  management: Management,
  params: { readonly window: Window; readonly seals: readonly Seal[] },
): Promise<boolean> {
  const { window, seals } = params;
  const [row] = await management.any(
    sql.type(WonRecord)`
      with won as (
        insert into audit_windows (
          window_number, covers_from, covers_to, previous_hash, hash, sealed_at
        )
        values (
          ${window.windowNumber}, ${window.coversFrom}, ${window.coversTo},
          ${window.previousHash}, ${window.hash}, ${window.sealedAt}
        )
        on conflict (window_number) do nothing
        returning window_number
      ),
      sealed as (
        insert into audit_seals (
          tenant_id, seal_number, window_number, covers_from, covers_to, item_count, members,
          previous_hash, hash
        )
        select s."tenantId", s."sealNumber", s."windowNumber", s."coversFrom", s."coversTo",
          s."itemCount", s.members, s."previousHash", s.hash
        from json_to_recordset(${JSON.stringify(seals)}::json) as s (
          "tenantId" text, "sealNumber" int, "windowNumber" int, "coversFrom" timestamptz,
          "coversTo" timestamptz, "itemCount" int, members text, "previousHash" text, hash text
        )
        where exists (select from won)
      )
      select exists (select from won) as won`,
    { writes: true },
  );
  return row?.won ?? false;
}

function toIso(milliseconds: number): string {
  return milliseconds <= 0 ? BEGINNING_OF_TIME : new Date(milliseconds).toISOString();
}
