import type { ConfigKey } from '../../src/shared/config/keys.ts';
import { boot } from '../../src/runtime/boot.ts';
import { checkStartup } from '../../src/runtime/check-startup.ts';
import { createLog } from '../../src/runtime/telemetry/create-log.ts';
import { buildConsole } from '../boot/build-console.ts';
import { asTyped } from '../cli/as-typed.ts';
import { DEFAULT_URL } from '../cli/default-url.ts';
import { runBeside } from '../boot/run-beside.ts';
import { runUntilStopped } from '../boot/drain.ts';
import { printNote } from '../cli/output.ts';
import { createProcessId } from '../../src/runtime/process-id.ts';
import { readConfig, type ConfigOptions } from '../boot/read-config.ts';
import { warnOfUnknownVariables } from '../boot/warn-of-unknown-variables.ts';
import { noteDatabase, showDatabase } from '../boot/take-database.ts';
import { readVersion } from '../../src/runtime/version.ts';

const WORKER_STOP_MS_MAX = 5_000;

/** Both roles in this process, open, with readable logs, and with words on what to do next. */
export async function runDev(
  options: ConfigOptions & { readonly run?: readonly string[] },
): Promise<void> {
  const read = readConfig(options, 'dev');
  const { config: given, origins, database } = read;
  const isUnset = (key: ConfigKey) => origins.get(key) === 'default';
  // Metrics only when a port was named: several of these may run on one machine.
  const config = isUnset('telemetry.metrics_port')
    ? { ...given, telemetry: { ...given.telemetry, metricsPort: 'off' as const } }
    : given;
  const processId = createProcessId();
  const isPretty = isUnset('logging.format') && process.stdout.isTTY;
  const log = createLog({ config, role: 'all', processId, ...(isPretty && { format: 'pretty' }) });
  // A misspelt setting may be why the start is refused.
  await warnOfUnknownVariables({ log, config, env: process.env });
  checkStartup({ config, database, role: 'all' });
  noteDatabase(read, 'dev');
  await runUntilStopped({
    log,
    deadlineMs: config.scheduler.shutdownDeadlineSeconds * 1000,
    start: async (signal) => {
      const runtime = await boot({
        config,
        origins,
        database,
        role: 'all',
        processId,
        log,
        databaseWaitMs: 0,
        signal,
        env: process.env,
        showCommand: asTyped,
      });
      // Asked to stop while it was starting: nothing begins beside it.
      if (signal.aborted) return runtime;
      const url = runtime.url ?? DEFAULT_URL;
      const where = showDatabase(database, process.cwd());
      const consoleUrl = config.api.console ? `${url}/console` : null;
      printNote(welcome({ url, consoleUrl, where, isOpen: !config.auth.enabled }));
      const build = consoleUrl === null ? null : buildConsole({ consoleUrl, report: printNote });
      const env = { ...process.env, SVC_URL: url };
      const beside = runBeside({ commands: options.run ?? [], env, report: printNote });
      return {
        // Workers give back their work while there is a runtime to take it.
        async stop(limits) {
          await build?.stop();
          await beside.stop({ deadlineMs: WORKER_STOP_MS_MAX });
          await runtime.stop(limits);
        },
      };
    },
  });
}

function welcome(params: {
  readonly url: string;
  /** Null: the console is off. */
  readonly consoleUrl: string | null;
  readonly where: string;
  readonly isOpen: boolean;
}): string {
  const { url, consoleUrl, where, isOpen } = params;
  const steps = [
    ...(url === DEFAULT_URL ? [] : [`export SVC_URL=${url}`]),
    ...(isOpen
      ? []
      : [
          `export SVC_TOKEN=$(svc token create --role operator --name me --database-url '${where}')`,
        ]),
    `echo '${JSON.stringify(HELLO)}' > hello.json`,
    'svc validate hello.json',
    'svc workflow register hello.json',
    `svc execution start hello --input '{"name": "you"}' --wait`,
    'svc execution list',
  ];
  return `
svc ${readVersion()} is running at ${url} on ${where}, ${isOpen ? 'open to everyone on this machine' : 'for those with a token'}.
${consoleUrl === null ? '' : `Its console is at ${consoleUrl}.\n`}Its API can be read and tried at ${url}/docs.

Next, in another terminal, in the same folder:

${steps.map((step) => `  ${step}\n`).join('')}
Ctrl-C stops it. Unfinished executions continue at the next start.
`;
}

/** Runs without a worker, a model or a person. */
const HELLO = {
  workflow_id: 'hello',
  nodes: {
    greet: {
      kind: { type: 'pass', output: { text: 'Hello' } },
      output_key: 'greeting',
    },
  },
};
