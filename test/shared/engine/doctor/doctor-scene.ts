import type { ExecutionContext } from 'ava';

import type { CheckResult, MigrationFacts } from '../../../../src/shared/engine/doctor/check.ts';
import { type DoctorDeps, examine } from '../../../../src/shared/engine/doctor/doctor.ts';
import { LIMITS, type Limits } from '../../../../src/shared/engine/doctor/limits.ts';
import { migrationStatus } from '../../../../src/shared/store/opening/migrate.ts';
import { SHARD_COUNT } from '../../../../src/shared/store/store.ts';
import { openTestEngine } from '../../../support/engine.ts';
import { changeTable, openTestStore } from '../../../support/stores.ts';

/** An installation with one process that has every role, and a doctor for it. */
export async function openInstallation(t: ExecutionContext, dialect: 'sqlite' | 'postgres') {
  const database = await openTestStore(dialect);
  t.teardown(database.close);
  const { store, url } = database;
  const svc = openTestEngine({ store });

  async function announce(changes: { readonly workerId?: string; readonly version?: string } = {}) {
    await store.workers.announce([
      {
        workerId: 'process-1',
        tenantId: null,
        kind: 'runtime',
        role: 'all',
        queueTypes: ['engine'],
        version: '1.0.0',
        host: 'h',
        ...changes,
      },
    ]);
  }

  async function readMigrations(): Promise<MigrationFacts> {
    return { ...(await migrationStatus({ url })), trouble: null };
  }

  async function ask(
    changes: Partial<Omit<DoctorDeps, 'limits'>> & { readonly limits?: Partial<Limits> } = {},
  ) {
    const diagnosis = await examine({
      diagnosis: store.diagnosis,
      pauses: store.workflowPauses,
      explain: (of) => svc.engine.explainExecution(of),
      migrations: readMigrations,
      localNow: Date.now,
      setup: { connectionsPerProcess: 20, keyIds: ['key-1'] },
      limit: 2,
      ...changes,
      limits: { ...LIMITS, ...changes.limits },
    });
    const named = new Map(diagnosis.checks.map((result) => [result.name, result]));
    const check = (name: string): CheckResult => {
      const found = named.get(name);
      if (found === undefined) throw new Error(`${name} was not checked`);
      return found;
    };
    const verdict = (name: string): string => check(name).verdict;
    return { ...diagnosis, check, verdict };
  }

  await announce();
  await store.shards.balance({ target: SHARD_COUNT });
  await store.shards.tryDuty('timers');
  return { ...svc, url, age: database.age, change: changeTable(url), announce, ask };
}
