import { parseArgs } from 'node:util';

import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { runProgram } from '../support/processes.ts';
import { runScaling, type ScalingRun } from './run-scaling.ts';

/*
 * npm run test:scaling -- [--rounds N] [--between N] [--json]
 *
 * Scales both roles up and down N times under load, with that many starts in each state; see
 * docs/contribute/upgrade.md. The exit code is 0 only if no request failed, and nothing was lost or
 * done twice.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    between: { type: 'string', default: '40' },
    json: { type: 'boolean', default: false },
  },
});

const [rounds, between] = [Number(values.rounds), Number(values.between)];
if (!(rounds > 0 && between > 0)) throw new Error('--rounds and --between want numbers above 0');
const server = await startPostgresServer();
try {
  await runProgram({ entry: 'svc', args: ['db', 'migrate', '--database-url', server.url] });
  const run = await runScaling({
    url: server.url,
    rounds,
    between,
    onProgress: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
  });
  process.stdout.write(values.json ? `${JSON.stringify(run, null, 2)}\n` : `${render(run)}\n`);
  process.exitCode = run.violations.length === 0 && run.refusals === 0 ? 0 : 1;
} finally {
  await server.stop();
}

function render({ violations, ...counts }: ScalingRun): string {
  return [
    ...Object.entries(counts).map(([name, value]) => `${name}: ${value}`),
    ...violations.map((line) => `VIOLATED: ${line}`),
    violations.length === 0 ? 'scaled without a loss' : `${violations.length} violations`,
  ].join('\n');
}
