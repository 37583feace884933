import type { ReplicaReport } from '../readings/replica-report.ts';
import type { Store } from '../store.ts';

export type StoreAddress =
  | {
      readonly dialect: 'postgres';
      readonly url: string;
      readonly directUrl?: string | null;
      readonly passwordFile?: string | null;
      /** Connections kept for each kind of work, and how many more may be opened under load. */
      readonly poolSize: number;
      readonly maxOverflow: number;
      /** A replica, for reads that may lag by so much. */
      readonly readUrl?: string | null;
      readonly readLagMsMax?: number;
    }
  | { readonly dialect: 'sqlite'; readonly path: string };

/** Opens the store of a migrated database. Only the driver that is needed is ever loaded. */
export async function openStore(params: {
  readonly database: StoreAddress;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Errors that no caller waits for, such as the loss of an idle connection; for the log. */
  readonly onBackgroundError?: (error: unknown) => void;
  readonly onReplica?: ReplicaReport;
}): Promise<Store> {
  const { database, ...options } = params;
  if (database.dialect === 'sqlite') {
    const { openSqliteStore } = await import('../sqlite/open.ts');
    return openSqliteStore({ path: database.path });
  }
  const { openPostgresStore } = await import('../postgres/open.ts');
  return openPostgresStore({ ...database, ...options });
}
