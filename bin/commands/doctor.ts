import { existsSync } from 'node:fs';

import { shapeDiagnosis } from '../../src/api/endpoints/system/diagnosis-shape.ts';
import type { Config } from '../../src/shared/config/config.ts';
import type { DatabaseLocation } from '../../src/shared/config/database-url.ts';
import { compilePlan } from '../../src/shared/domain/workflow/plan/compile-plan.ts';
import { createDefinitionCache } from '../../src/shared/engine/advance/definition-cache.ts';
import type { CheckResult, MigrationFacts } from '../../src/shared/engine/doctor/check.ts';
import { examineInstallation } from '../../src/shared/engine/doctor/examine-installation.ts';
import { type Diagnosis, unreachable } from '../../src/shared/engine/doctor/doctor.ts';
import type { StuckExecution } from '../../src/shared/engine/doctor/stuck-executions.ts';
import { createTenantDirectory } from '../../src/shared/engine/tenants/tenant-directory.ts';
import { builtInKinds } from '../../src/shared/nodes/index.ts';
import { CHECKED_BYTES_MAX } from '../../src/shared/store/readings/diagnosis.ts';
import { type Store, StoreUnavailableError } from '../../src/shared/store/store.ts';
import { readMigrationFacts, systemFacts } from '../../src/runtime/system-facts.ts';
import { readEncryptionKeys } from '../../src/runtime/encryption-keys.ts';
import { CliError } from '../cli/exit-code.ts';
import { explainDatabaseError } from '../../src/runtime/database/explain-database-error.ts';
import { printJson, printLine, printNote, type OutputFormat } from '../cli/output.ts';
import { printTable } from '../cli/print-table.ts';
import { withOpenStore } from '../cli/with-store.ts';
import type { ConfigOptions } from '../boot/read-config.ts';
import { takeDatabase } from '../boot/take-database.ts';

type DoctorOptions = ConfigOptions & { readonly output: OutputFormat; readonly limit: number };

/** Exit code 1 when a check fails; warnings alone leave it 0. */
export async function runDoctor(options: DoctorOptions): Promise<void> {
  const { config, database } = takeDatabase(options);
  const diagnosis = await diagnose(config, database, options.limit);
  const { checks } = diagnosis;
  const failed = checks.filter(({ verdict }) => verdict === 'fail');
  if (options.output === 'json') printJson(shapeDiagnosis(diagnosis));
  else print(diagnosis);
  if (failed.length > 0) {
    throw new CliError(`${failed.length} failed: ${failed.map(({ name }) => name).join(', ')}`);
  }
}

async function diagnose(
  config: Config,
  database: DatabaseLocation,
  limit: number,
): Promise<Diagnosis> {
  if (database.dialect === 'sqlite' && !existsSync(database.path)) {
    return unreachable(`database file "${database.path}" does not exist`);
  }
  try {
    const migrations = await readMigrationFacts(database);
    return await withOpenStore({ database, applicationName: 'svc-doctor' }, (store) =>
      examineStore(store, { config, database, limit, migrations }),
    );
  } catch (error) {
    const told = explainDatabaseError(error, database).error;
    if (told === error && !(error instanceof StoreUnavailableError)) throw error;
    return unreachable(told.message);
  }
}

function examineStore(
  store: Store,
  params: {
    readonly config: Config;
    readonly database: DatabaseLocation;
    readonly limit: number;
    readonly migrations: MigrationFacts;
  },
): Promise<Diagnosis> {
  const { config, database, limit, migrations } = params;
  const keys = readEncryptionKeys({ config, database });
  const definitions = createDefinitionCache({
    definitions: store.definitions,
    compile: (definition) => compilePlan(definition.ir, builtInKinds),
  });
  const system = { ...systemFacts({ config, database, keys }), migrations: async () => migrations };
  // Without a key what is hashed elsewhere is masked: asking for one could make one.
  const tenants = createTenantDirectory({
    tenants: store.tenants,
    now: () => performance.now(),
    // It forgets them in time.
    wake: { subscribe: () => () => {} },
  });
  const deps = { store, definitions, tenants, pseudonym: null, system };
  return examineInstallation(deps, { limit, checkedBytesMax: CHECKED_BYTES_MAX });
}

function print({ checks, stuck, stuckTotal }: Diagnosis): void {
  printTable({ head: ['VERDICT', 'CHECK', 'SEEN'], rows: checks.map(toRow) });
  const advised = checks.filter(({ advice }) => advice !== null);
  if (advised.length > 0) {
    printLine('');
    printTable({
      head: ['CHECK', 'WHAT TO DO'],
      rows: advised.map(({ name, advice }) => [name, advice]),
    });
  }
  if (stuck.length === 0) return;
  printLine('');
  printTable({
    head: ['EXECUTION', 'TENANT', 'CODE', 'NODE', 'SINCE'],
    rows: stuck.map(toStuckRow),
  });
  const left = stuckTotal - stuck.length;
  if (left > 0) printNote(`at least ${left} more executions are stuck: list more with --limit`);
}

function toRow({ verdict, name, seen }: CheckResult): string[] {
  return [verdict, name, seen];
}

function toStuckRow(execution: StuckExecution): (string | null)[] {
  const { executionId, tenantId, code, nodeId, since } = execution;
  return [executionId, tenantId, code, nodeId, since];
}
