import test from 'ava';

import { openTestStore, type TestStore } from '../../../support/stores.ts';
import { agentCases } from './tenants/agents.ts';
import { approvalCases } from './executions/approvals.ts';
import { artifactCases } from './artifacts.ts';
import { auditCases } from './audit.ts';
import { checkpointCases } from './executions/checkpoints.ts';
import { claimFilterCases } from './work/claim-filters.ts';
import { commitRaceCases } from './commit/commit-races.ts';
import { commitRefusalCases } from './commit/commit-refusals.ts';
import { commitCases } from './commit/commit.ts';
import { deadLetterCases } from './work/dead-letters.ts';
import { definitionCases } from './workflows/definitions.ts';
import { diagnosisCases } from './diagnosis.ts';
import { eventsBetweenCases } from './executions/events-between.ts';
import { executionCases } from './executions/executions.ts';
import { familyCases } from './executions/families.ts';
import { flowCases } from './executions/flow.ts';
import { flowBatchCases } from './executions/flow-batch.ts';
import { flowDebounceCases } from './executions/flow-debounce.ts';
import { flowRateCases } from './executions/flow-rates.ts';
import { flowRefusalCases } from './executions/flow-refusals.ts';
import { flowSurplusCases } from './executions/flow-surplus.ts';
import { holdCases } from './executions/holds.ts';
import { importCases } from './executions/imports.ts';
import { leaseCases } from './work/leases.ts';
import { memorySettingsCases } from './memory/memory-settings.ts';
import { memoryCases } from './memory/memory.ts';
import { runnableCases } from './executions/runnable.ts';
import { scheduleCases } from './schedules.ts';
import { countCases } from './executions/counts.ts';
import { searchCases } from './executions/searches.ts';
import { startLimitCases } from './executions/start-limits.ts';
import { tenantLineCases } from './executions/tenant-lines.ts';
import { tenantStatusCases } from './tenants/tenant-status.ts';
import { tenantCases } from './tenants/tenants.ts';
import { heldTimerCases } from './executions/held-timers.ts';
import { timerCases } from './executions/timers.ts';
import { tokenRotationCases } from './tenants/token-rotation.ts';
import { tokenCases } from './tenants/tokens.ts';
import { treeCases } from './executions/trees.ts';
import { usageCases } from './executions/usage.ts';
import { webhookCases } from './webhooks.ts';
import { tenantTurnCases } from './work/tenant-turns.ts';
import { workCases } from './work/work.ts';
import { fairClaimCases } from './work/fair-claims.ts';
import { fairTurnCases } from './work/fair-turns.ts';
import { failedItemCases } from './work/failed-items.ts';
import { workOverviewCases } from './work/overview.ts';
import { workerCases } from './work/workers.ts';
import { workflowPauseCases } from './workflows/workflow-pauses.ts';

const AREAS = [
  commitCases,
  commitRefusalCases,
  commitRaceCases,
  executionCases,
  searchCases,
  countCases,
  eventsBetweenCases,
  approvalCases,
  checkpointCases,
  familyCases,
  flowCases,
  flowRateCases,
  flowDebounceCases,
  flowBatchCases,
  flowRefusalCases,
  flowSurplusCases,
  holdCases,
  workflowPauseCases,
  treeCases,
  tenantLineCases,
  usageCases,
  tenantTurnCases,
  workCases,
  claimFilterCases,
  fairClaimCases,
  fairTurnCases,
  leaseCases,
  deadLetterCases,
  failedItemCases,
  workOverviewCases,
  timerCases,
  heldTimerCases,
  runnableCases,
  definitionCases,
  tokenCases,
  tokenRotationCases,
  agentCases,
  auditCases,
  webhookCases,
  scheduleCases,
  artifactCases,
  tenantCases,
  tenantStatusCases,
  startLimitCases,
  workerCases,
  importCases,
  diagnosisCases,
  memoryCases,
  memorySettingsCases,
];

/** The contract of every store, run against one of them: one database for all cases of the file. */
export function runContract(dialect: 'postgres' | 'sqlite'): void {
  let shared: TestStore | null = null;
  test.before(async () => {
    shared = await openTestStore(dialect);
  });
  test.after.always(async () => {
    await shared?.close();
  });
  const open = (): TestStore => {
    if (shared === null) throw new Error('the store is opened before the first case');
    return shared;
  };
  for (const cases of AREAS) cases(dialect, open);
}
