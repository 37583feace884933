import test from 'ava';

import { openTestStore, type TestStore } from '../../../support/stores.ts';
import { agentCases } from './agents.ts';
import { artifactCases } from './artifacts.ts';
import { auditCases } from './audit.ts';
import { claimFilterCases } from './claim-filters.ts';
import { commitRaceCases } from './commit-races.ts';
import { commitRefusalCases } from './commit-refusals.ts';
import { commitCases } from './commit.ts';
import { deadLetterCases } from './dead-letters.ts';
import { definitionCases } from './definitions.ts';
import { diagnosisCases } from './diagnosis.ts';
import { executionCases } from './executions.ts';
import { familyCases } from './families.ts';
import { holdCases } from './holds.ts';
import { importCases } from './imports.ts';
import { leaseCases } from './leases.ts';
import { memorySettingsCases } from './memory-settings.ts';
import { memoryCases } from './memory.ts';
import { runnableCases } from './runnable.ts';
import { scheduleCases } from './schedules.ts';
import { startLimitCases } from './start-limits.ts';
import { tenantStatusCases } from './tenant-status.ts';
import { tenantCases } from './tenants.ts';
import { timerCases } from './timers.ts';
import { tokenRotationCases } from './token-rotation.ts';
import { tokenCases } from './tokens.ts';
import { treeCases } from './trees.ts';
import { usageCases } from './usage.ts';
import { webhookCases } from './webhooks.ts';
import { workCases } from './work.ts';
import { workerCases } from './workers.ts';
import { workflowPauseCases } from './workflow-pauses.ts';

const AREAS = [
  commitCases,
  commitRefusalCases,
  commitRaceCases,
  executionCases,
  familyCases,
  holdCases,
  workflowPauseCases,
  treeCases,
  usageCases,
  workCases,
  claimFilterCases,
  leaseCases,
  deadLetterCases,
  timerCases,
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

/** What every store must do, run against one of them: one database for all cases of the file. */
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
