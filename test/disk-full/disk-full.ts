import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { openDatabase, PARTS } from './databases.ts';
import { runDiskFull, type Outcome } from './run-disk-full.ts';

/*
 * npm run test:disk-full -- [--seconds N] [--items N] [--only sqlite|data|wal] [--json]
 * Fills the disk of SQLite, of PostgreSQL's data folder, and of its write-ahead log, under load; see
 * docs/contribute/disk-full.md. It mounts file systems in memory, so it runs as root on Linux.
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
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-full-'));
  const database = await openDatabase(folder, part);
  process.stderr.write(`${database.name}\n`);
  try {
    outcomes.push(await runDiskFull(database, { fullMs: seconds * 1_000, least }));
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
        ...outcomes.map(
          ({ name, executions, refusals, named, recoveredMs, logged }) =>
            `${name}: ${executions} executions, ${refusals} refusals, ${named} of them name the disk; ` +
            `recovered in ${recoveredMs} ms; logged meanwhile: ${JSON.stringify(logged)}`,
        ),
        ...violations.map((line) => `VIOLATED: ${line}`),
        violations.length === 0 ? 'nothing was lost' : `${violations.length} violations`,
      ].join('\n')}\n`,
);
process.exitCode = violations.length === 0 ? 0 : 1;
