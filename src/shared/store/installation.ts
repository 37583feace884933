import type { ExecutionId, TenantId } from '../domain/ids.ts';

/*
 * Facts about a live installation, for `svc doctor`, without judgement. Instants are ISO 8601 UTC,
 * by the database's clock.
 */

/** Readings that need no table of ours, so they are had before anything is migrated. */
export type ServerFacts = PostgresFacts | SqliteFacts;

export interface PostgresFacts {
  readonly dialect: 'postgres';
  readonly version: string;
  /** Initial settings of sessions, by name and in the unit of `pg_settings`. */
  readonly settings: ReadonlyMap<string, string>;
  readonly isStandby: boolean;
  readonly timeline: Timeline;
  /** Two sessions of ours came to the same server process: a pooler hands it to each in turn. */
  readonly isPooledByTransaction: boolean;
  readonly sessions: number;
  readonly rights: RoleRights;
  /** False: sessions of other users are not visible. */
  readonly seesAllSessions: boolean;
  /** Our tables without autovacuum. */
  readonly tablesWithoutAutovacuum: readonly string[];
  readonly deadTuples: readonly DeadTuples[];
  /** Transactions and slots that prevent the removal of dead rows, oldest first. */
  readonly holders: readonly SnapshotHolder[];
  /** Holders of our locks: shards, duties, the migration's. */
  readonly lockHolders: readonly LockHolder[];
  /** Sessions that wait for a lock that others hold, longest first. */
  readonly lockWaits: readonly LockWait[];
  /** Null: reads have no other server. */
  readonly replica: ReplicaFacts | null;
}

/** A restore to a point in time and a promotion of a standby begin a new timeline. */
export interface Timeline {
  /** From 1; null: a standby, which follows the timeline of its primary. */
  readonly number: number | null;
  /** Since the timeline began. Null: it is the first, or this role may not read that. */
  readonly ageMs: number | null;
}

/** The server that reads may go to. */
export type ReplicaFacts =
  | { readonly isReachable: false; readonly reason: string }
  | {
      readonly isReachable: true;
      readonly isStandby: boolean;
      readonly isSameDatabase: boolean;
      /** A receiver of the primary's log is running. */
      readonly isReceiving: boolean;
      /** The lag of the replay behind what it has received; null: unknown. */
      readonly replayLagMs: number | null;
      /** The lag that reads may have. */
      readonly lagMsMax: number;
    };

/** Rights of the role that this session runs as. */
export interface RoleRights {
  /** It owns the tables, or is a member of a role that does. */
  readonly ownsTables: boolean;
  readonly mayMakeTemporary: boolean;
  /** In the schema of the tables. */
  readonly mayCreate: boolean;
}

export interface DeadTuples {
  readonly table: string;
  readonly live: number;
  readonly dead: number;
}

export interface SnapshotHolder {
  readonly kind: 'session' | 'prepared_transaction' | 'replication_slot';
  /** Process id and application, name of the transaction, or name of the slot. */
  readonly name: string;
  /** Null: a slot does not say since when. */
  readonly sinceMs: number | null;
  /** Transactions begun since. */
  readonly ageXids: number;
}

export interface LockHolder {
  readonly pid: number;
  readonly applicationName: string;
  readonly shards: number;
  readonly duties: number;
  readonly isMigrating: boolean;
}

export interface LockWait {
  readonly pid: number;
  readonly applicationName: string;
  readonly waitedMs: number;
  /** Process ids of the sessions that have to let go first. */
  readonly blockedBy: readonly number[];
}

export interface SqliteFacts {
  readonly dialect: 'sqlite';
  readonly version: string;
  readonly path: string;
  readonly journalMode: string;
  /** 2: FULL. */
  readonly synchronous: number;
  /** Findings of `quick_check`; empty: none. Null: the file is too large to read it all. */
  readonly damage: readonly string[] | null;
  readonly fileBytes: number;
  readonly walBytes: number;
  readonly freeBytes: number;
  /** Permission bits of the file, and of the directory around it. */
  readonly fileMode: number;
  readonly directoryMode: number;
  /** The last restore by `svc db restore`; null: none, or the database that it replaced is gone. */
  readonly restored: { readonly keptAs: string; readonly ageMs: number } | null;
}

/** The database at a glance; cheap to read at any size. */
export interface DatabaseOverview {
  readonly dialect: 'postgres' | 'sqlite';
  readonly version: string;
  readonly bytes: number;
  /** Holders of our locks; SQLite has one process, and no such locks. */
  readonly lockHolders: readonly LockHolder[];
}

/** How large a table is; null: not known. */
export interface TableFacts {
  readonly table: string;
  /** Estimated on PostgreSQL; counted up to a million on SQLite. */
  readonly rows: number;
  /** Not vacuumed yet. */
  readonly deadRows: number | null;
  readonly bytes: number | null;
  readonly indexBytes: number | null;
  readonly vacuumedAt: string | null;
}

/** Readings of our tables. */
export interface InstallationFacts {
  readonly now: string;
  /** Those that still announce themselves, and those that stopped doing so and are remembered. */
  readonly processes: readonly ProcessFacts[];
  /** Oldest first, at most `limit`; `queuesTotal` counts all. */
  readonly queues: readonly QueueFacts[];
  readonly queuesTotal: number;
  readonly lapsedLeases: Overdue;
  readonly overdueTimers: Overdue;
  readonly overdueRetries: Overdue;
  readonly marks: number;
  readonly deadLetters: { readonly total: number; readonly lastDay: number };
  /** Null: nothing is sealed. */
  readonly sealedUntil: string | null;
  /** Null: nothing waits for a seal. */
  readonly unsealedSince: string | null;
  readonly tokens: {
    readonly valid: number;
    readonly expired: number;
    readonly endingSoon: number;
  };
  /** Ids of the keys that stored provider keys are sealed with. */
  readonly sealedWith: readonly string[];
  /** Executions that have not ended. */
  readonly liveExecutions: number;
}

export interface ProcessFacts {
  readonly processId: string;
  readonly role: string;
  readonly version: string;
  readonly host: string;
  readonly lastHeartbeat: string;
  readonly isSeen: boolean;
}

export interface QueueFacts {
  readonly tenantId: TenantId | null;
  readonly queue: string;
  readonly items: number;
  readonly oldestAt: string;
  /** Workers of the tenant that claim from it; of the engine's queue: schedulers. */
  readonly workersSeen: number;
}

/** Overdue work, without inactive tenants. */
export interface Overdue {
  readonly count: number;
  readonly oldestAt: string | null;
}

export interface LiveExecution {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
}
