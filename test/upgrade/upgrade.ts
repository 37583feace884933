import { parseArgs } from 'node:util';

import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { runUpgrade } from './run-upgrade.ts';
import { checkOutPrevious } from './support/previous-version.ts';

/*
 * npm run test:upgrade -- [--from REF] [--seconds N] [--json]
 *
 * Runs the previous version and this one on one database, under load; see
 * docs/contribute/upgrade.md. The exit code is 0 only if no request failed, and nothing was lost or
 * done twice.
 */

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});

const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error('--seconds wants a number above 0: of each state');
const previous = checkOutPrevious(values.from);
const server = await startPostgresServer();
try {
  const run = await runUpgrade({
    url: server.url,
    previous,
    stateMs: seconds * 1_000,
    onProgress: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
  });
  process.stdout.write(values.json ? `${JSON.stringify(run, null, 2)}\n` : `${render(run)}\n`);
  process.exitCode = run.violations.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  previous.remove();
}

function render({ violations, ...counts }: Awaited<ReturnType<typeof runUpgrade>>): string {
  return [
    ...Object.entries(counts).map(([name, value]) => `${name}: ${value}`),
    ...violations.map((line) => `VIOLATED: ${line}`),
    violations.length === 0 ? 'upgraded without a loss' : `${violations.length} violations`,
  ].join('\n');
}
