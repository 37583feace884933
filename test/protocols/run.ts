import { parseArgs } from 'node:util';

import { LEGS } from './legs.ts';
import { runLegs } from './run-legs.ts';

/*
 * npm run test:protocols -- [--only NAME]...
 *
 * Runs conformance kits and foreign clients against the real service. The last line is the total.
 * The exit code is 1 if a check failed, and 2 if `--only` names no leg.
 */

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const only = values.only ?? LEGS.map(({ name }) => name);
const unknown = only.find((name) => !LEGS.some((leg) => leg.name === name));
if (unknown === undefined) {
  const chosen = LEGS.filter(({ name }) => only.includes(name));
  const totals = await runLegs(chosen, (text) => void process.stdout.write(text));
  process.stdout.write(`${totals.passed} passed, ${totals.failed} failed\n`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
} else {
  const known = LEGS.map(({ name }) => name).join(', ');
  process.stderr.write(`--only ${unknown}: no such leg. Choose among ${known}.\n`);
  process.exitCode = 2;
}
