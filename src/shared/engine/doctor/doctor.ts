import { CHECKED_BYTES_MAX, type DiagnosisStore } from '../../store/readings/diagnosis.ts';
import { StoreUnavailableError } from '../../store/store.ts';
import type { WorkflowPauseStore } from '../../store/workflow-pauses.ts';
import { DATABASE_CHECKS, UPKEEP_CHECKS } from './check-database.ts';
import { POSTGRES_CHECKS } from './check-postgres.ts';
import { SQLITE_CHECKS } from './check-sqlite.ts';
import { WORK_CHECKS } from './check-work.ts';
import {
  type Check,
  type CheckResult,
  type DoctorFacts,
  fail,
  type MigrationFacts,
  type Setup,
  skipped,
} from './check.ts';
import { LIMITS, type Limits } from './limits.ts';
import { findStuckExecutions, type StuckExecution } from './stuck-executions.ts';

/** All checks, in the order of the report. */
export const CHECKS: readonly Check[] = [
  ...DATABASE_CHECKS,
  ...POSTGRES_CHECKS,
  ...SQLITE_CHECKS,
  ...WORK_CHECKS,
  ...UPKEEP_CHECKS,
];

export interface Diagnosis {
  readonly checks: readonly CheckResult[];
  /** The oldest executions that do not move. */
  readonly stuck: readonly StuckExecution[];
  readonly stuckTotal: number;
}

export interface DoctorDeps {
  readonly diagnosis: DiagnosisStore;
  readonly pauses: Pick<WorkflowPauseStore, 'list'>;
  readonly explain: Parameters<typeof findStuckExecutions>[0]['explain'];
  readonly migrations: () => Promise<MigrationFacts>;
  /** Milliseconds since the epoch, by this process's clock. */
  readonly localNow: () => number;
  readonly setup: Setup;
  /** How many executions are listed. */
  readonly limit: number;
  readonly limits?: Limits;
  /** Pages of a larger SQLite file are not checked; by default as many as a command waits for. */
  readonly checkedBytesMax?: number;
}

/** Reads what there is to know of a live installation, and judges it. Changes nothing. */
export async function examine(deps: DoctorDeps): Promise<Diagnosis> {
  const { limits = LIMITS } = deps;
  const facts = await readFacts(deps);
  const checks = CHECKS.flatMap((check): readonly CheckResult[] => {
    const { name } = check;
    if (check.needs === 'tables' && facts.tables === null) {
      return [{ name, ...skipped(facts.tablesTrouble ?? '') }];
    }
    const finding = check.judge(facts, limits);
    return finding === null ? [] : [{ name, ...finding }];
  });
  const { stuck } = facts.tables ?? {};
  return { checks, stuck: stuck?.listed ?? [], stuckTotal: stuck?.resting ?? 0 };
}

/** The report about a database that does not answer. */
export function unreachable(error: string): Diagnosis {
  const checks = CHECKS.map(({ name }): CheckResult => {
    if (name === 'database') return { name, ...fail(error, 'see that it runs and may be reached') };
    return { name, ...skipped('the database does not answer') };
  });
  return { checks, stuck: [], stuckTotal: 0 };
}

async function readFacts(deps: DoctorDeps): Promise<DoctorFacts> {
  const { diagnosis, setup, checkedBytesMax = CHECKED_BYTES_MAX } = deps;
  const server = await diagnosis.serverFacts({ checkedBytesMax });
  const skew = await readSkew(deps);
  const migrations = await deps.migrations();
  const known = { server, skew, setup, migrations };
  if (migrations.trouble !== null || migrations.pending.length > 0) {
    return { ...known, tables: null, tablesTrouble: 'the schema is of another version' };
  }
  try {
    return { ...known, tables: await readTables(deps), tablesTrouble: null };
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return { ...known, tables: null, tablesTrouble: error.message };
  }
}

async function readTables(deps: DoctorDeps): Promise<NonNullable<DoctorFacts['tables']>> {
  const { diagnosis, limit } = deps;
  const installation = await diagnosis.installationFacts({ limit });
  const pauses = await deps.pauses.list({ after: null, limit: PAUSES_MAX });
  return { ...installation, pauses, stuck: await findStuckExecutions(deps) };
}

/** So many paused workflows are looked at. */
const PAUSES_MAX = 500;

/** Read a few times: what was answered fastest says most about the clocks. */
const CLOCK_READINGS = 3;

/** The database read its clock some time between asking and having the answer. */
async function readSkew({ diagnosis, localNow }: DoctorDeps): Promise<DoctorFacts['skew']> {
  let best: DoctorFacts['skew'] = { aheadMs: 0, uncertainMs: Infinity };
  for (let reading = 0; reading < CLOCK_READINGS; reading += 1) {
    const before = localNow();
    const now = Date.parse(await diagnosis.clock());
    const uncertainMs = (localNow() - before) / 2;
    if (uncertainMs < best.uncertainMs) {
      best = { aheadMs: now - (before + uncertainMs), uncertainMs };
    }
  }
  return best;
}
