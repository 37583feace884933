import { StoreUnavailableError } from '../unavailable.ts';
import type { ReplicaReport } from '../readings/replica-report.ts';
import type { Store } from '../store.ts';
import { createAgentStore } from './tenants/agents.ts';
import { createArtifactStore } from './artifacts/artifacts.ts';
import { pruneUploads } from './artifacts/prune-uploads.ts';
import { createAuditStore } from './audit/audit.ts';
import { createClaimWatermarks } from './work/claim-watermarks.ts';
import { connectPool, type Lend, type PostgresPool, type Statement } from './connection/connect.ts';
import {
  notingWrites,
  readFromReplica,
  type ReplicaReads,
  type ServerPools,
} from './connection/replica-reads.ts';
import { createConnectionPlaces } from './connection/connection-places.ts';
import { divideConnections } from './connection/divide-connections.ts';
import type { ConnectionSettings } from './connection/session.ts';
import { createServerFinder } from './connection/server-finder.ts';
import { createDefinitionStore } from './workflows/definitions.ts';
import { createDiagnosisStore } from './diagnosis/diagnosis.ts';
import type { Replica } from './diagnosis/replica-facts.ts';
import { createApprovalStore } from './executions/approvals.ts';
import { createCheckpointStore } from './executions/checkpoints.ts';
import { createExecutionStore } from './executions/executions.ts';
import { createExecutionSearch } from './executions/search-executions.ts';
import { openManagement } from './connection/management.ts';
import { createMemoryStore } from './memory/memory.ts';
import { createFlowStore } from './scheduling/flow.ts';
import { createPlaceStore } from './scheduling/places.ts';
import { createQuotaStore } from './scheduling/quotas.ts';
import { prune } from './retention/prune.ts';
import { createImportStore } from './executions/imports.ts';
import { createRetentionStore } from './retention/retention.ts';
import { createRunnableStore } from './scheduling/runnable.ts';
import { createScheduleStore } from './schedules/schedules.ts';
import { createShardLocks } from './scheduling/shards.ts';
import { createTenantStore } from './tenants/tenants.ts';
import { createTimerStore } from './scheduling/timers.ts';
import { createTokenStore } from './tenants/tokens.ts';
import { createUnusedArtifactStore } from './artifacts/unused-artifacts.ts';
import { createRemoteWake } from './scheduling/wake.ts';
import { createWebhookStore } from './webhooks/webhooks.ts';
import { createWorkflowPauseStore } from './workflows/workflow-pauses.ts';
import { createWorkStore } from './work/work.ts';
import { createWorkOverview } from './work/overview.ts';
import { createWorkerStore } from './work/workers.ts';

/**
 * Opens a migrated database. Connects when first used and not before, so a database that is down
 * shows as `StoreUnavailableError` of the methods and the store is good again when it is back.
 *
 * A process uses up to `poolSize` + `maxOverflow` connections, from `CONNECTIONS_MIN` of them on.
 */
export async function openPostgresStore(params: {
  readonly url: string;
  /** Leads past a pooler in transaction mode, which `url` then leads to. */
  readonly directUrl?: string | null | undefined;
  /** A replica, for reads that may lag by `readLagMsMax`; see `lagging-reads.ts`. */
  readonly readUrl?: string | null | undefined;
  readonly readLagMsMax?: number;
  readonly onReplica?: ReplicaReport;
  /** Has the password, for each new connection. */
  readonly passwordFile?: string | null | undefined;
  /** Connections that are kept once opened. */
  readonly poolSize?: number;
  /** How many more are opened under load. */
  readonly maxOverflow?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Waiting for a connection, new or from the pool. */
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  /** Errors that no caller waits for, of idle and of dedicated connections; for the log. */
  readonly onBackgroundError?: (error: unknown) => void;
  /** For tests: after how long a transaction that is not seen any more is over for certain. */
  readonly audit?: { readonly finalMs: number };
}): Promise<Store> {
  const { poolSize = 10, maxOverflow = 10 } = params;
  const { url, passwordFile, connectTimeoutMs = 5_000 } = params;
  const isPooledByTransaction = (params.directUrl ?? null) !== null;
  const settings: ConnectionSettings = {
    servers: createServerFinder({ url, passwordFile, connectTimeoutMs }),
    isPooledByTransaction,
    applicationName: params.applicationName ?? 'svc',
    connectTimeoutMs,
    statementTimeoutMs: params.statementTimeoutMs ?? 30_000,
    onBackgroundError: params.onBackgroundError ?? (() => undefined),
  };
  const shares = divideConnections({ poolSize, maxOverflow });
  const hot = connectPool({ ...settings, min: shares.kept, max: shares.hot });
  const direct = directSettings(settings, params);
  // Apart from the hot path: its connections never change whose rows they see.
  const ofTenants = { min: 0, max: shares.readers, changesTenants: true, callersLeave: true };
  const primary = {
    readers: connectPool({ ...settings, ...ofTenants }),
    management: await openManagement({ ...settings, max: shares.management }),
    brief: hot,
  };
  const { management } = primary;
  const replica = await openReplica(primary, { settings, ofTenants, given: params });
  const { readers } = replica?.reads ?? primary;
  const pool = replica === null ? hot : notingWrites(hot);
  const checks = createConnectionPlaces({ placesMax: 1, waitMsMax: connectTimeoutMs });
  const aside: Lend = (work) => checks.hold(() => pool.lend(() => pool.lend(work)));
  const watermarks = createClaimWatermarks();
  const shards = createShardLocks(direct);
  const wake = createRemoteWake(direct);
  return {
    dialect: 'postgres',
    executions: createExecutionStore(pool, readers, watermarks),
    executionSearch: createExecutionSearch(readers),
    work: createWorkStore(pool, readers, watermarks),
    timers: createTimerStore(pool, watermarks),
    runnable: createRunnableStore(pool),
    places: createPlaceStore(pool),
    flow: createFlowStore(pool),
    quotas: createQuotaStore(pool),
    approvals: createApprovalStore(readers),
    checkpoints: createCheckpointStore(readers),
    workOverview: createWorkOverview(readers),
    definitions: createDefinitionStore(management, pool),
    workflowPauses: createWorkflowPauseStore(management),
    tokens: createTokenStore(management),
    agents: createAgentStore(management),
    audit: createAuditStore(replica?.reads.management ?? management, params.audit),
    webhooks: createWebhookStore(management),
    schedules: createScheduleStore(management),
    artifacts: createArtifactStore(readers),
    unusedArtifacts: createUnusedArtifactStore(management, readers),
    tenants: createTenantStore(management),
    workers: createWorkerStore(pool, management),
    memory: createMemoryStore(pool),
    retention: createRetentionStore(management, { ...direct, lend: pool.lend }),
    imports: createImportStore(management, readers),
    diagnosis: createDiagnosisStore(readers, {
      settings: { ...direct, lend: aside },
      replica,
    }),
    shards,
    wake,
    ping: (options) => ping(pool, options),
    prune: async () => (await prune(management)) + (await pruneUploads(readers)),
    poolUse: () => addUse(pool.use(), readers.use()),
    aside,
    close: async () => {
      await Promise.all([shards.close(), wake.close()]);
      await Promise.all([
        pool.close(),
        primary.readers.close(),
        management.close(),
        replica?.reads.close(),
      ]);
    },
  };
}

/** Null: there is none. */
async function openReplica(
  primary: ServerPools,
  params: {
    readonly settings: ConnectionSettings;
    readonly ofTenants: { readonly min: number; readonly max: number };
    readonly given: Parameters<typeof openPostgresStore>[0];
  },
): Promise<(Replica & { readonly reads: ReplicaReads }) | null> {
  const { settings, ofTenants, given } = params;
  const { readUrl = null, readLagMsMax: lagMsMax = READ_LAG_MS_MAX, passwordFile } = given;
  if (readUrl === null) return null;
  const connectTimeoutMs = Math.min(settings.connectTimeoutMs, REPLICA_CONNECT_MS_MAX);
  const own: ConnectionSettings & { readonly triesMax: number } = {
    ...settings,
    servers: createServerFinder({ url: readUrl, passwordFile, connectTimeoutMs, target: 'any' }),
    applicationName: `${settings.applicationName}-replica`,
    connectTimeoutMs,
    // The report carries its errors.
    onBackgroundError: () => undefined,
    triesMax: 1,
  };
  const replica = {
    readers: connectPool({ ...own, ...ofTenants }),
    management: await openManagement({ ...own, max: 1 }),
    brief: connectPool({ ...own, min: 0, max: 1 }),
  };
  const reads = readFromReplica({
    primary,
    replica,
    lagMsMax,
    now: () => performance.now(),
    report: given.onReplica ?? { read: () => undefined, changed: () => undefined },
  });
  return { primary: primary.brief, pool: replica.brief, reads, lagMsMax };
}

const READ_LAG_MS_MAX = 5_000;
/** The primary answers while a replica does not. */
const REPLICA_CONNECT_MS_MAX = 1_000;

type Use = ReturnType<Store['poolUse']>;

function addUse(one: Use, other: Use): Use {
  return {
    total: one.total + other.total,
    idle: one.idle + other.idle,
    waiting: one.waiting + other.waiting,
  };
}

/** Locks, notifications and long statements need a session. */
function directSettings(
  settings: ConnectionSettings,
  given: {
    readonly directUrl?: string | null | undefined;
    readonly passwordFile?: string | null | undefined;
  },
): ConnectionSettings {
  const { directUrl, passwordFile } = given;
  if (directUrl === null || directUrl === undefined) return settings;
  const { connectTimeoutMs } = settings;
  return {
    ...settings,
    servers: createServerFinder({ url: directUrl, passwordFile, connectTimeoutMs }),
    isPooledByTransaction: false,
  };
}

/** Through the pool: a pool without a free connection is not ready either. */
async function ping(pool: PostgresPool, options: { readonly timeoutMs: number }): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `database unavailable: no answer within ${options.timeoutMs} ms`;
      reject(new StoreUnavailableError(message, { ambiguous: false }));
    }, options.timeoutMs);
  });
  try {
    await Promise.race([pool.run(PING, []), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const PING: Statement = { name: 'ping', text: 'select 1 as answer', writes: false };
