import type { ExecutionFacts } from '../domain/execution/explain/facts.ts';
import type { ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';
import type { ClusterReading, ReadingBounds } from './cluster-reading.ts';
import type { InstallationFacts, LiveExecution, ServerFacts, TableFacts } from './installation.ts';

/** Readings for people who want to know why something does not go on. They change nothing. */
export interface DiagnosisStore {
  /**
   * What stands around an execution, as one consistent reading; null when unknown. Items and timers
   * are looked up by id and name, so that a large execution costs no more than is asked for.
   */
  executionFacts(params: ExecutionQuestion): Promise<ExecutionFacts | null>;
  /** The database's clock; needs no table. */
  clock(): Promise<string>;
  /** The database itself; needs no table. */
  serverFacts(): Promise<ServerFacts>;
  /** Our tables, the largest first; none before anything is migrated. */
  tableFacts(): Promise<readonly TableFacts[]>;
  /** What our tables tell of the whole installation, with at most `limit` queues. */
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

/** Of so many queued items of an execution it is counted how many are before them. */
export const POSITIONS_MAX = 20;
/** Counted no further, and not told beyond: a place in a long queue is not worth a long reading. */
export const POSITION_MAX = 2_000;
/** Of the leases that end last so many are looked through for workers that are busy. */
export const LEASES_LOOKED_AT_MAX = 5_000;

/** Rows of these live for milliseconds to minutes: what is dead among them slows every claim. */
export const HOT_TABLES = [
  'executions',
  'runnable',
  'work_queue',
  'work_leases',
  'retry_timers',
  'timers',
] as const;

/** What ends within this time is told as ending soon. */
export const TOKENS_SOON_MS = 7 * 86_400_000;
