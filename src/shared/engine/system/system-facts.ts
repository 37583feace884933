import type { RetentionDays } from '../../domain/retention/retention-policy.ts';
import type { MigrationFacts, Setup } from '../doctor/check.ts';

/** The facts about a process and its configuration that operators may read. */
export interface SystemFacts {
  /** Every setting, in the order of the documentation. */
  readonly settings: () => readonly SettingInForce[];
  readonly migrations: () => Promise<MigrationFacts>;
  readonly setup: () => Setup;
  /** Where no policy of the database says anything. */
  readonly retentionDefaults: RetentionDays;
  /** Milliseconds since the epoch, by this process's clock. */
  readonly currentMs: () => number;
}

export interface SettingInForce {
  readonly key: string;
  /** As text. Secrets and passwords are masked; empty: it is not set. */
  readonly value: string;
  /** Where the value comes from: a flag, a variable, a file, or `default`. */
  readonly origin: string;
  readonly isSecret: boolean;
  readonly meaning: string;
  /** The variables that set it. */
  readonly variables: readonly string[];
}
