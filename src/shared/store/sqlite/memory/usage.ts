import type { TenantId } from '../../../domain/ids.ts';
import type { MemoryStore, MemoryUsage } from '../../memory.ts';
import type { Connection } from '../connection/connect.ts';

export function createMemoryUsage(
  connection: Connection,
): Pick<MemoryStore, 'readUsage' | 'reserve' | 'release'> {
  return {
    readUsage: (tenantId) => connection.read(() => readUsage(connection, tenantId)),

    reserve: ({ tenantId, reservationId, quota, holdMs }) =>
      connection.write(() => {
        const usage = readCounts(connection, tenantId);
        if (usage.added + Object.keys(usage.held).length >= quota) return false;
        const held = { ...usage.held, [reservationId]: connection.now() + holdMs };
        writeCounts(connection, { ...usage, held });
        return true;
      }),

    release: ({ tenantId, reservationId }) =>
      connection.write(() => {
        const usage = readCounts(connection, tenantId);
        writeCounts(connection, { ...usage, held: withoutPlace(usage.held, reservationId) });
      }),
  };
}

/** A tenant's row; of its reservations those that have not lapsed. */
export interface Counts {
  readonly tenantId: TenantId;
  readonly added: number;
  readonly live: number;
  readonly changeSeq: number;
  readonly held: Readonly<Record<string, number>>;
  readonly lastAddedAt: number | null;
}

export function readCounts(connection: Connection, tenantId: TenantId): Counts {
  const row = connection.get<CountsRecord>(
    `select added, live, change_seq, reservations, last_added_at
     from memory_usage
     where tenant_id = :tenant_id`,
    { tenant_id: tenantId },
  );
  const now = connection.now();
  const reservations = JSON.parse(row?.reservations ?? '{}') as Record<string, number>;
  const held = Object.entries(reservations).filter(([, lapsesAt]) => lapsesAt > now);
  return {
    tenantId,
    added: row?.added ?? 0,
    live: row?.live ?? 0,
    changeSeq: row?.change_seq ?? 0,
    held: Object.fromEntries(held),
    lastAddedAt: row?.last_added_at ?? null,
  };
}

export function writeCounts(connection: Connection, counts: Counts): void {
  connection.run(
    `insert into memory_usage (tenant_id, added, live, change_seq, reservations, last_added_at)
     values (:tenant_id, :added, :live, :change_seq, :reservations, :last_added_at)
     on conflict (tenant_id) do update
     set added = excluded.added,
       live = excluded.live,
       change_seq = excluded.change_seq,
       reservations = excluded.reservations,
       last_added_at = excluded.last_added_at`,
    {
      tenant_id: counts.tenantId,
      added: counts.added,
      live: counts.live,
      change_seq: counts.changeSeq,
      reservations: JSON.stringify(counts.held),
      last_added_at: counts.lastAddedAt,
    },
  );
}

export function withoutPlace(held: Counts['held'], reservationId: string): Counts['held'] {
  return Object.fromEntries(Object.entries(held).filter(([id]) => id !== reservationId));
}

interface CountsRecord {
  readonly added: number;
  readonly live: number;
  readonly change_seq: number;
  readonly reservations: string;
  readonly last_added_at: number | null;
}

function readUsage(connection: Connection, tenantId: TenantId): MemoryUsage {
  const { added, live } = readCounts(connection, tenantId);
  const tenant = connection.get<{ readonly limits: string }>(
    `select limits
     from tenants
     where id = :tenant_id`,
    { tenant_id: tenantId },
  );
  const { memory_tier: tier } = JSON.parse(tenant?.limits ?? '{}') as {
    readonly memory_tier?: string;
  };
  return { added, live, tier: tier ?? null };
}
