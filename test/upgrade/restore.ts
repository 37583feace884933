import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runRestore } from './run-restore.ts';
import { findTools } from './support/installed-postgres.ts';

/*
 * npm run test:restore -- [--items N] [--json]
 *
 * Backs up and restores PostgreSQL with its own tools, under load; see docs/contribute/upgrade.md.
 */

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
});

const least = Number(values.items);
if (!(least > 0)) throw new Error('--items wants a number above 0: completed between two steps');
findTools();
const folder = mkdtempSync(join(tmpdir(), 'svc-restore-'));
// The server runs as a user with fewer permissions.
chmodSync(folder, 0o755);
const lives = await runRestore({
  folder,
  least,
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const violations = lives.flatMap(({ name, violations: found }) =>
  found.map((line) => `${name}: ${line}`),
);
process.stdout.write(
  values.json
    ? `${JSON.stringify({ lives, violations }, null, 2)}\n`
    : `${[
        ...lives.map(
          ({ name, executions, ticks, lowestFence, highestFence }) =>
            `${name}: ${executions} executions, ${ticks} fires, fences ${lowestFence} to ${highestFence}`,
        ),
        ...violations.map((line) => `VIOLATED: ${line}`),
        violations.length === 0 ? 'restored without a fault' : `${violations.length} violations`,
      ].join('\n')}\n`,
);
rmSync(folder, { recursive: true, force: true });
process.exitCode = violations.length === 0 ? 0 : 1;
