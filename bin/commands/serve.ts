import type { ProcessRole } from '../../src/shared/config/listeners.ts';
import { boot } from '../../src/runtime/boot.ts';
import { checkStartup } from '../../src/runtime/check-startup.ts';
import { createLog } from '../../src/runtime/telemetry/create-log.ts';
import { asTyped } from '../cli/as-typed.ts';
import { runUntilStopped } from '../boot/drain.ts';
import { createProcessId } from '../../src/runtime/process-id.ts';
import { readConfig, type ConfigOptions } from '../boot/read-config.ts';
import { warnOfUnknownVariables } from '../boot/warn-of-unknown-variables.ts';
import { noteDatabase } from '../boot/take-database.ts';

export interface ServeOptions extends ConfigOptions {
  readonly role: ProcessRole;
  /** Seconds. */
  readonly databaseWait: number;
}

export async function runServe(options: ServeOptions): Promise<void> {
  const read = readConfig(options, 'serve');
  const { config, origins, database } = read;
  const { role } = options;
  const processId = createProcessId();
  const log = createLog({ config, role, processId });
  // A misspelt setting may be why the start is refused.
  await warnOfUnknownVariables({ log, config, env: process.env });
  checkStartup({ config, database, role });
  noteDatabase(read, 'serve');
  await runUntilStopped({
    log,
    deadlineMs: config.scheduler.shutdownDeadlineSeconds * 1000,
    leaveMs: role === 'scheduler' ? 0 : config.api.drainDelaySeconds * 1000,
    start: (signal) =>
      boot({
        config,
        origins,
        database,
        role,
        processId,
        log,
        databaseWaitMs: options.databaseWait * 1000,
        signal,
        env: process.env,
        showCommand: asTyped,
      }),
  });
}
