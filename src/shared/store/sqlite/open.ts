import type { Store } from '../store.ts';
import { createAgentStore } from './tenants/agents.ts';
import { createArtifactStore } from './artifacts/artifacts.ts';
import { createAuditStore } from './audit/audit.ts';
import { connect, type Clock, type Connection } from './connection/connect.ts';
import { createDefinitionStore } from './workflows/definitions.ts';
import { createDiagnosisStore } from './diagnosis/diagnosis.ts';
import { createApprovalStore } from './executions/approvals.ts';
import { createCheckpointStore } from './executions/checkpoints.ts';
import { createExecutionStore } from './executions/executions.ts';
import { createExecutionSearch } from './executions/search-executions.ts';
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

export { StoreOpenError } from './connection/errors.ts';
export { lockDatabaseFile } from './connection/process-lock.ts';

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

/** The store on an existing connection. */
export function createSqliteStore(connection: Connection): Store {
  return {
    dialect: 'sqlite',
    executions: createExecutionStore(connection),
    executionSearch: createExecutionSearch(connection),
    work: createWorkStore(connection),
    timers: createTimerStore(connection),
    runnable: createRunnableStore(connection),
    places: createPlaceStore(connection),
    flow: createFlowStore(connection),
    quotas: createQuotaStore(connection),
    approvals: createApprovalStore(connection),
    checkpoints: createCheckpointStore(connection),
    workOverview: createWorkOverview(connection),
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
    aside: (work) => work(),
    close: async () => connection.close(),
  };
}
