import { parseArgs } from 'node:util';

import { openSimulatedDatabase } from './database.ts';
import { renderFinding } from './render-finding.ts';
import { runHistories } from './run-histories.ts';
import { runHistory } from './run-history.ts';
import { drawScenario } from './scenario.ts';
import { shrink } from './shrink.ts';

/*
 * npm run test:sim -- [--seed N] [--histories N] [--seconds N] [--trace]
 *
 * Histories of the seeds N, N+1, … until their number is reached or the time is up. The first that
 * violates anything ends the run: its seed, what is violated, and a trace that has been made small.
 * With --trace the history of one seed is shown as it is; with --quick nothing is made small.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string' },
    seconds: { type: 'string' },
    trace: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});

const database = await openSimulatedDatabase();
const firstSeed = Number(values.seed);
if (values.trace) {
  const { lines } = await runHistory(database, drawScenario(values.seed), { traced: true });
  print(lines.join('\n'));
}
const began = performance.now();
const spentSeconds = (): number => (performance.now() - began) / 1_000;
const secondsMax = Number(values.seconds ?? Infinity);
const historiesMax = Number(values.histories ?? (values.seconds === undefined ? 1 : Infinity));
const { histories, finding, counts } = await runHistories({
  database,
  firstSeed,
  goesOn: (done) => done < historiesMax && spentSeconds() < secondsMax,
});
const rate = (histories / spentSeconds()).toFixed(0);
for (const [name, of] of [...counts].toSorted(([one], [other]) => one.localeCompare(other)))
  print(`${name.padEnd(36)}${of.toFixed(0)}`);
print(`${histories} histories from seed ${firstSeed}, ${rate}/s`);
if (finding !== null) {
  process.exitCode = 1;
  const smallest = values.quick ? finding : await shrink(database, finding);
  const { lines } = await runHistory(database, smallest.scenario, { traced: true });
  print(renderFinding({ finding, smallest, lines }));
}
await database.close();

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
