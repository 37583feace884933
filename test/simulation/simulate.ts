import { parseArgs } from 'node:util';

import { openSimulatedDatabase } from './database.ts';
import { FAULTS } from './faults.ts';
import { renderFinding } from './render-finding.ts';
import { runHistories } from './run-histories.ts';
import { runHistory } from './run-history.ts';
import { drawScenario } from './scenario.ts';
import { shrink } from './shrink.ts';

/*
 * npm run test:sim -- [--seed N] [--histories N] [--seconds N] [--cpu-seconds N] [--trace] [--json]
 *
 * Runs the histories of the seeds N, N+1, … up to the given number or time. The first violation
 * ends the run, which prints its seed, the rule, and the trace of a smaller history. With --trace,
 * it prints the history of one seed; with --quick, it doesn't look for a smaller history; with
 * --json, it prints counts, rates and the finding as one line of JSON.
 *
 * A run in which some fault never occurred proves nothing about that fault. If it was long enough,
 * it fails.
 */

/** After this many histories every kind of fault must have occurred. */
const HISTORIES_FOR_ALL = 500;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string' },
    seconds: { type: 'string' },
    'cpu-seconds': { type: 'string' },
    trace: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const database = await openSimulatedDatabase();
const firstSeed = Number(values.seed);
if (values.trace) {
  const { lines } = await runHistory(database, drawScenario(values.seed), { traced: true });
  print(lines.join('\n'));
}
const began = performance.now();
const cpuBegan = process.cpuUsage();
const spentSeconds = (): number => (performance.now() - began) / 1_000;
const spentCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage(cpuBegan);
  return (user + system) / 1_000_000;
};
const secondsMax = Number(values.seconds ?? Infinity);
const cpuSecondsMax = Number(values['cpu-seconds'] ?? Infinity);
const hasTime = secondsMax < Infinity || cpuSecondsMax < Infinity;
const historiesMax = Number(values.histories ?? (hasTime ? Infinity : 1));
const { histories, finding, counts } = await runHistories({
  database,
  firstSeed,
  goesOn: (done) =>
    done < historiesMax && spentSeconds() < secondsMax && spentCpuSeconds() < cpuSecondsMax,
});
const seconds = spentSeconds();
const cpuSeconds = spentCpuSeconds();
const count = (name: string): number => counts.get(name) ?? 0;
const perCpuSecond = Object.fromEntries(
  ['requests', 'store calls', 'commits', 'events', 'virtual seconds'].map((name) => [
    name,
    Math.round(count(name) / cpuSeconds),
  ]),
);
const absent = Object.keys(FAULTS).filter((kind) => count(`fault ${kind}`) === 0);
const isVacuous = finding === null && histories >= HISTORIES_FOR_ALL && absent.length > 0;
if (finding !== null || isVacuous) process.exitCode = 1;

const smallest = finding === null ? null : values.quick ? finding : await shrink(database, finding);
const { lines } =
  smallest === null
    ? { lines: [] }
    : await runHistory(database, smallest.scenario, { traced: true });
if (values.json) {
  const named = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
  const faults = Object.keys(FAULTS).map((kind) => [kind, count(`fault ${kind}`)] as const);
  print(
    JSON.stringify({
      firstSeed,
      histories,
      seconds,
      cpuSeconds,
      perCpuSecond: { histories: Math.round(histories / cpuSeconds), ...perCpuSecond },
      faults: Object.fromEntries(faults),
      absent,
      counts: Object.fromEntries(named.filter(([name]) => !name.startsWith('fault '))),
      finding:
        finding === null || smallest === null
          ? null
          : {
              seed: finding.scenario.seed,
              violations: finding.outcome.violations,
              smallest: smallest.scenario,
              lines,
            },
    }),
  );
} else {
  for (const [name, of] of [...counts].toSorted(([one], [other]) => one.localeCompare(other)))
    print(`${name.padEnd(36)}${of.toFixed(0)}`);
  const rates = Object.entries(perCpuSecond).map(([name, of]) => `${of} ${name}`);
  print(
    `${histories} histories from seed ${firstSeed} in ${seconds.toFixed(1)} s; ` +
      `a second of one core: ${(histories / cpuSeconds).toFixed(0)} histories, ${rates.join(', ')}`,
  );
  if (isVacuous) print(`never came about, so nothing is known of it: ${absent.join(', ')}`);
  if (finding !== null && smallest !== null) print(renderFinding({ finding, smallest, lines }));
}
await database.close();

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
