import type { ExecutionFacts } from '../../domain/execution/explain/facts.ts';
import type { ExecutionId, TenantId, WorkItemId } from '../../domain/ids.ts';
import type { ClusterReading, ReadingBounds } from './cluster-reading.ts';
import type {
  DatabaseOverview,
  InstallationFacts,
  LiveExecution,
  ServerFacts,
  TableFacts,
} from '../installation.ts';

/** Reads for people who want to know why something does not continue. They change nothing. */
export interface DiagnosisStore {
  /**
   * The surroundings of an execution, in one consistent read; null when unknown. Items and timers
   * are looked up by id and name, so that a large execution costs no more than the requested rows.
   */
  executionFacts(params: ExecutionQuestion): Promise<ExecutionFacts | null>;
  /** The database's clock; needs no table. */
  clock(): Promise<string>;
  /** Needs no table. */
  overview(): Promise<DatabaseOverview>;
  /**
   * The database itself; needs no table. The pages of a larger SQLite file are not checked: the
   * process does nothing else meanwhile.
   */
  serverFacts(params: { readonly checkedBytesMax: number }): Promise<ServerFacts>;
  /** Our tables, the largest first; none before anything is migrated. */
  tableFacts(): Promise<readonly TableFacts[]>;
  /** Facts about the whole installation from its tables, with at most `limit` queues. */
  installationFacts(params: { readonly limit: number }): Promise<InstallationFacts>;
  /** Executions that have not ended, oldest first. */
  oldestLive(params: { readonly limit: number }): Promise<readonly LiveExecution[]>;
  /** For metrics: what there is, at a cost that does not grow with it. */
  clusterReading(bounds: ReadingBounds): Promise<ClusterReading>;
}

export interface ExecutionQuestion {
  readonly executionId: ExecutionId;
  /** Null: of any tenant. */
  readonly tenantId: TenantId | null;
  readonly workItemIds: readonly WorkItemId[];
  readonly timerNames: readonly string[];
}

/** Reading a larger file takes minutes. */
export const CHECKED_BYTES_MAX = 4 * 1024 ** 3;
/** A process that serves requests checks such a file within a fraction of a second. */
export const CHECKED_BYTES_SERVING_MAX = 64 * 1024 ** 2;

/** The most queued items of an execution whose position is counted. */
export const POSITIONS_MAX = 20;
/** Counted no further, and not told beyond: a place in a long queue is not worth a long reading. */
export const POSITION_MAX = 2_000;
/** The most leases, those that end last, that are searched for busy workers. */
export const LEASES_LOOKED_AT_MAX = 5_000;

/** Rows of these live for milliseconds to minutes: what is dead among them slows every claim. */
export const HOT_TABLES = [
  'executions',
  'runnable',
  'work_queue',
  'work_leases',
  'leases',
  'retry_timers',
  'timers',
] as const;

/** A lease that ends within this time counts as ending soon. */
export const TOKENS_SOON_MS = 7 * 86_400_000;
