import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { openCramped, PARTS } from './databases.ts';
import { runExhaustion, type Outcome } from './run-exhaustion.ts';

/*
 * npm run test:exhaustion -- [--seconds N] [--items N] [--only sqlite|data|wal|memory|service] [--json]
 * Fills disks and withholds memory under load; see docs/contribute/exhaustion.md. It mounts file
 * systems in memory and limits processes of another user, so it runs as root on Linux.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    items: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});

const [seconds, least] = [Number(values.seconds), Number(values.items)];
if (!(seconds > 0 && least > 0)) throw new Error('--seconds and --items want numbers above 0');
const parts = PARTS.filter((part) => values.only === '' || values.only === part);
if (parts.length === 0) throw new Error(`--only takes one of ${PARTS.join(', ')}`);

const outcomes: Outcome[] = [];
for (const part of parts) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-exhaustion-'));
  const database = await openCramped(folder, part);
  process.stderr.write(`${database.name}\n`);
  try {
    outcomes.push(await runExhaustion(database, { lastsMs: seconds * 1_000, least }));
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const violations = outcomes.flatMap(({ name, violations: found }) =>
  found.map((line) => `${name}: ${line}`),
);
process.stdout.write(
  values.json
    ? `${JSON.stringify({ outcomes, violations }, null, 2)}\n`
    : `${[
        ...outcomes.map(tell),
        ...violations.map((line) => `VIOLATED: ${line}`),
        violations.length === 0 ? 'nothing was lost' : `${violations.length} violations`,
      ].join('\n')}\n`,
);
process.exitCode = violations.length === 0 ? 0 : 1;

function tell({ name, executions, refusals, named, ends, recoveredMs, logged }: Outcome): string {
  return (
    `${name}: ${executions} executions, ${refusals} refusals, ${named} of them say what is missing; ` +
    `the service ended ${ends} times; recovered in ${recoveredMs} ms; ` +
    `logged meanwhile: ${JSON.stringify(logged)}`
  );
}
