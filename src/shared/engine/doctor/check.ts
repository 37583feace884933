import type { WorkflowPause } from '../../domain/workflow/workflow-pause.ts';
import type { InstallationFacts, ServerFacts } from '../../store/installation.ts';
import type { Limits } from './limits.ts';
import type { StuckExecutions } from './stuck-executions.ts';

/** `skipped`: what it needs could not be read, or it does not apply here. */
export type CheckVerdict = 'ok' | 'warn' | 'fail' | 'skipped';

export interface Finding {
  readonly verdict: CheckVerdict;
  /** The finding, in a few words. */
  readonly seen: string;
  /** The remedy; null: none needed. */
  readonly advice: string | null;
}

export interface CheckResult extends Finding {
  readonly name: string;
}

/** One thing that is looked at. Pure: what there is to know has been read. */
export interface Check {
  readonly name: string;
  /** `tables`: only a schema of this program's version can be read. */
  readonly needs: 'server' | 'tables';
  /** Null: it does not apply to this store. */
  judge(facts: DoctorFacts, limits: Limits): Finding | null;
}

export interface DoctorFacts {
  readonly server: ServerFacts;
  readonly migrations: MigrationFacts;
  /** How far the database's clock is ahead of this process's, and how exactly that is known. */
  readonly skew: { readonly aheadMs: number; readonly uncertainMs: number };
  readonly setup: Setup;
  /** Null: they could not be read, and `tablesTrouble` says why. */
  readonly tables: TableReadings | null;
  readonly tablesTrouble: string | null;
}

export interface TableReadings extends InstallationFacts {
  readonly stuck: StuckExecutions;
  /** The first of them. */
  readonly pauses: readonly WorkflowPause[];
}

export interface MigrationFacts {
  readonly current: number;
  readonly latest: number;
  readonly pending: readonly { readonly number: number; readonly title: string }[];
  /** Why the schema does not fit this program; null: it does, once what is pending is applied. */
  readonly trouble: string | null;
}

/** The facts from this process's configuration that all checks use. */
export interface Setup {
  /** Connections that one process may open. */
  readonly connectionsPerProcess: number;
  /** Ids of the encryption keys. */
  readonly keyIds: readonly string[];
}

/** The advice after the database went back to an earlier moment. */
export const AFTER_RESTORE =
  'run "svc audit verify", give the encryption keys of that time, and restart processes that ran on: ' +
  'docs/operate/operations.md, "Effects of a restore"';

export function ok(seen: string): Finding {
  return { verdict: 'ok', seen, advice: null };
}

export function warn(seen: string, advice: string): Finding {
  return { verdict: 'warn', seen, advice };
}

export function fail(seen: string, advice: string): Finding {
  return { verdict: 'fail', seen, advice };
}

export function skipped(seen: string, advice: string | null = null): Finding {
  return { verdict: 'skipped', seen, advice };
}
