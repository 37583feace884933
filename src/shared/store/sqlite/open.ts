import type { Store } from '../store.ts';
import { createAgentStore } from './agents.ts';
import { createArtifactStore } from './artifacts.ts';
import { createAuditStore } from './audit.ts';
import { connect, type Clock, type Connection } from './connect.ts';
import { createDefinitionStore } from './definitions.ts';
import { createDiagnosisStore } from './diagnosis.ts';
import { createExecutionStore } from './executions.ts';
import { createMemoryStore } from './memory.ts';
import { createPlaceStore } from './places.ts';
import { prune } from './prune.ts';
import { createImportStore } from './imports.ts';
import { createRetentionStore } from './retention.ts';
import { createRunnableStore } from './runnable.ts';
import { createScheduleStore } from './schedules.ts';
import { createShardLocks } from './shards.ts';
import { createTenantStore } from './tenants.ts';
import { createTimerStore } from './timers.ts';
import { createTokenStore } from './tokens.ts';
import { createUnusedArtifactStore } from './unused-artifacts.ts';
import { createRemoteWake } from './wake.ts';
import { createWebhookStore } from './webhooks.ts';
import { createWorkflowPauseStore } from './workflow-pauses.ts';
import { createWorkStore } from './work.ts';
import { createWorkerStore } from './workers.ts';

export { StoreOpenError } from './errors.ts';
export { lockDatabaseFile } from './process-lock.ts';

/**
 * Opens a migrated database file. Throws `StoreOpenError` when the file cannot be used; its message
 * names the file and says what to do. `clock` replaces the database's clock, for tests.
 * `busyTimeoutMs`: how long a statement waits for another process's write. `onStatement` is called at
 * every statement, for counting them.
 */
export async function openSqliteStore(params: {
  readonly path: string;
  readonly clock?: Clock;
  readonly busyTimeoutMs?: number;
  readonly onStatement?: () => void;
}): Promise<Store> {
  return createSqliteStore(connect(params));
}

/** The store on a connection that is there already. */
export function createSqliteStore(connection: Connection): Store {
  return {
    dialect: 'sqlite',
    executions: createExecutionStore(connection),
    work: createWorkStore(connection),
    timers: createTimerStore(connection),
    runnable: createRunnableStore(connection),
    places: createPlaceStore(connection),
    definitions: createDefinitionStore(connection),
    workflowPauses: createWorkflowPauseStore(connection),
    tokens: createTokenStore(connection),
    agents: createAgentStore(connection),
    audit: createAuditStore(connection),
    webhooks: createWebhookStore(connection),
    schedules: createScheduleStore(connection),
    artifacts: createArtifactStore(connection),
    unusedArtifacts: createUnusedArtifactStore(connection),
    tenants: createTenantStore(connection),
    workers: createWorkerStore(connection),
    memory: createMemoryStore(connection),
    retention: createRetentionStore(connection),
    imports: createImportStore(connection),
    diagnosis: createDiagnosisStore(connection),
    shards: createShardLocks(),
    wake: createRemoteWake(),
    ping: () => connection.read(() => void connection.get('select 1 from lease_fence')),
    prune: () => prune(connection),
    poolUse: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: async () => connection.close(),
  };
}
