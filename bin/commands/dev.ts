import { relative } from 'node:path';

import type { ConfigKey } from '../../src/shared/config/keys.ts';
import { boot } from '../support/boot.ts';
import { checkStartup } from '../support/check-startup.ts';
import { createLog } from '../support/create-log.ts';
import { DEFAULT_URL } from '../support/default-url.ts';
import { runUntilStopped } from '../support/drain.ts';
import { printNote } from '../support/output.ts';
import { createProcessId } from '../support/process-id.ts';
import { readConfig, type ConfigOptions } from '../support/read-config.ts';
import { readVersion } from '../support/version.ts';

/** Both roles in this process, open, with readable logs, and with words on what to do next. */
export async function runDev(options: ConfigOptions): Promise<void> {
  const { config: given, origins, database } = readConfig(options, 'dev');
  const isUnset = (key: ConfigKey) => origins.get(key) === 'default';
  // Metrics only when a port was named: several of these may run on one machine.
  const config = isUnset('telemetry.metrics_port')
    ? { ...given, telemetry: { ...given.telemetry, metricsPort: 'off' as const } }
    : given;
  checkStartup({ config, database, role: 'all' });
  const processId = createProcessId();
  const isPretty = isUnset('logging.format') && process.stdout.isTTY;
  const log = createLog({ config, role: 'all', processId, ...(isPretty && { format: 'pretty' }) });
  await runUntilStopped({
    log,
    deadlineMs: config.scheduler.shutdownDeadlineSeconds * 1000,
    start: async (signal) => {
      const runtime = await boot({
        config,
        database,
        role: 'all',
        processId,
        log,
        databaseWaitMs: 0,
        signal,
      });
      const where = database.dialect === 'sqlite' ? nameOf(database.path) : 'PostgreSQL';
      printNote(welcome({ url: runtime.url ?? DEFAULT_URL, where }));
      return runtime;
    },
  });
}

function welcome({ url, where }: { readonly url: string; readonly where: string }): string {
  return `
svc ${readVersion()} is running at ${url} on ${where}, open to everyone on this machine.
Its API can be read and tried at ${url}/docs.

Next, in another terminal:
${url === DEFAULT_URL ? '' : `  export SVC_URL=${url}\n`}  svc validate workflow.yaml
  svc workflow register workflow.yaml
  svc execution start <workflow> --input '{}' --wait
  svc execution events <execution> --follow

Ctrl-C stops it; what is not finished goes on at the next start.
`;
}

/** Relative inside the working directory, absolute elsewhere. */
function nameOf(path: string): string {
  const fromHere = relative('.', path);
  return fromHere.startsWith('..') ? path : fromHere;
}
