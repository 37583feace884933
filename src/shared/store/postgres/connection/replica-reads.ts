import { laggingScope } from '../../readings/lagging-reads.ts';
import type { ReplicaRead, ReplicaReport } from '../../readings/replica-report.ts';
import { StoreUnavailableError } from '../../unavailable.ts';
import type { PostgresPool, Statement } from './connect.ts';
import { isFullPool } from './errors.ts';
import type { Management } from './management.ts';
import { watchReplicaLag, type LogPositions } from './replica-lag.ts';

/*
 * Readers that ask a replica where the request lets them (see `lagging-reads.ts`) and the replica is
 * near enough (see `replica-lag.ts`), and otherwise the primary. If the replica answers anything but rows,
 * the same statement goes to the primary at once: no request fails because of a replica.
 */

export interface ServerPools {
  readonly readers: PostgresPool;
  readonly management: Management;
  /** For short statements: slow lists don't keep a round waiting. */
  readonly brief: PostgresPool;
}

export interface ReplicaReads {
  readonly readers: PostgresPool;
  readonly management: Management;
  close(): Promise<void>;
}

export function readFromReplica(given: {
  readonly primary: ServerPools;
  readonly replica: ServerPools;
  readonly lagMsMax: number;
  readonly now: () => number;
  readonly report: ReplicaReport;
}): ReplicaReads {
  const { primary, replica, lagMsMax, now, report } = given;
  const lag = watchReplicaLag({
    positions: readPositions(primary.brief, replica.brief),
    lagMsMax,
    now,
    onChange: (state, reason) => report.changed(state, reason),
  });

  /** Null: the primary has to answer. */
  async function tryReplica<Rows>(ask: () => Promise<Rows>): Promise<Rows | null> {
    const scope = laggingScope();
    if (scope === null || !scope.mayLag) return null;
    const stalenessMs = lag.staleness();
    if (stalenessMs === null) {
      report.read(lag.trouble ?? 'unmeasured');
      scope.stayOnPrimary();
      return null;
    }
    const startedAt = now();
    try {
      const rows = await ask();
      // It sees the state at its beginning, so the time it took counts as well.
      scope.noteStaleness(stalenessMs + now() - startedAt);
      report.read('replica');
      return rows;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'unreachable') lag.noteLoss(String(error));
      report.read(outcome);
      scope.stayOnPrimary();
      return null;
    }
  }

  const readers = notingWrites(primary.readers);
  return {
    readers: {
      ...readers,
      async run<Row extends object>(...asked: Parameters<PostgresPool['run']>) {
        const [{ writes }] = asked;
        const rows = writes ? null : await tryReplica(() => replica.readers.run<Row>(...asked));
        return rows ?? readers.run<Row>(...asked);
      },
    },
    management: {
      ...primary.management,
      async any(query, options) {
        const asks = () => replica.management.any(query, options);
        const rows = options?.writes === true ? null : await tryReplica(asks);
        return rows ?? primary.management.any(query, options);
      },
    },
    async close() {
      await lag.settled();
      const { readers: ofTenants, management, brief } = replica;
      await Promise.all([ofTenants.close(), management.close(), brief.close()]);
    },
  };
}

/** A pool whose writes end the lag of the request they belong to. */
export function notingWrites(pool: PostgresPool): PostgresPool {
  return {
    ...pool,
    run(statement, values, tenant) {
      if (statement.writes) laggingScope()?.stayOnPrimary();
      return pool.run(statement, values, tenant);
    },
  };
}

/** The cluster and the database are compared until they were once the same, and after each failure. */
function readPositions(primary: PostgresPool, replica: PostgresPool): LogPositions {
  let isKnown = false;
  return {
    async current() {
      const [row] = await primary.run<{ readonly position: string }>(CURRENT, []);
      return BigInt(row?.position ?? '0');
    },
    async replayed() {
      try {
        if (!isKnown && !(await isSameDatabase(primary, replica))) {
          return 'it has another database than database.url';
        }
        isKnown = true;
        const [row] = await replica.run<{ readonly position: string | null }>(REPLAYED, []);
        if (row?.position === null || row === undefined) return 'it is no standby';
        return BigInt(row.position);
      } catch (error) {
        isKnown = false;
        if (error instanceof StoreUnavailableError) throw error;
        return String(error);
      }
    },
  };
}

/** Servers that keep their identity to themselves are believed. */
export async function isSameDatabase(
  primary: PostgresPool,
  replica: PostgresPool,
): Promise<boolean> {
  const [one, other] = await Promise.all([readIdentity(primary), readIdentity(replica)]);
  return one === other || one === null || other === null;
}

async function readIdentity(pool: PostgresPool): Promise<string | null> {
  try {
    const [row] = await pool.run<{ readonly identity: string }>(IDENTITY, []);
    return row?.identity ?? null;
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    return null;
  }
}

function outcomeOf(error: unknown): ReplicaRead {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (CONFLICTS.has(code)) return 'conflict';
  if (isFullPool(cause)) return 'busy';
  return error instanceof StoreUnavailableError ? 'unreachable' : 'unfit';
}

const CONFLICTS: ReadonlySet<string> = new Set([
  '40001', // serialization_failure: a conflict with recovery
  '40P01', // deadlock_detected: the same, found otherwise
  '57014', // query_canceled: it took too long
]);

/** Flushed: a commit that was answered is before it. */
const CURRENT: Statement = {
  name: 'log-position',
  writes: false,
  text: `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text as position`,
};

const REPLAYED: Statement = {
  name: 'replayed-log-position',
  writes: false,
  text: `
    select case when pg_is_in_recovery()
      then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text
    end as position`,
};

const IDENTITY: Statement = {
  name: 'database-identity',
  writes: false,
  text: `
    select s.system_identifier || ' ' || d.oid as identity
    from pg_control_system() s, pg_database d
    where d.datname = current_database()`,
};
