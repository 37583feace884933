import type { Config } from '../../shared/config/config.ts';
import type { ProcessRole } from '../../shared/config/listeners.ts';
import { createLogger, type Logger } from '../../shared/telemetry/log.ts';
import { readVersion } from '../version.ts';

export function createLog(params: {
  readonly config: Config;
  readonly role: ProcessRole;
  readonly processId: string;
  /** Overrides `logging.format`. */
  readonly format?: 'json' | 'pretty';
}): Logger {
  const { config, role, processId } = params;
  const format = params.format ?? config.logging.format;
  return createLogger({
    level: config.logging.level,
    format,
    redactState: config.logging.redactState,
    // On a terminal one process speaks, and everyone knows which.
    base: format === 'pretty' ? {} : { role, version: readVersion(), process_id: processId },
  });
}
