import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runSoak, type SoakRun } from './run-soak.ts';

/*
 * npm run test:soak -- --hours N [--seed S] [--rate R] [--json] [--keep]
 *
 * Runs a cluster at half load for hours; see docs/contribute/soak.md. The exit code is 0 only for a
 * full run in which nothing grew and nothing was lost. A failed run keeps its logs, and so does
 * `--keep`.
 */

const { values } = parseArgs({
  options: {
    hours: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

const hours = Number(values.hours);
const rate = values.rate === undefined ? null : Number(values.rate);
if (!(hours >= 0.02)) throw new Error('--hours wants a number of at least 0.02, such as 0.1 or 24');
if (rate !== null && !(rate > 0)) throw new Error('--rate wants executions a second, such as 20');
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => interrupted.abort(new Error(`ended by ${signal}`)));
}
const folder = mkdtempSync(join(tmpdir(), `svc-soak-${values.seed}-`));
const run = await runSoak({
  hours,
  seed: values.seed,
  rate,
  folder,
  // Progress goes to stderr, because stdout contains the result.
  onProgress: (line) => process.stderr.write(`${line}\n`),
  signal: interrupted.signal,
});
process.stdout.write(values.json ? `${JSON.stringify(run, null, 2)}\n` : render(run));
const isGood = run.violations.length === 0;
if (isGood && !values.keep) rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);

function render({ carried, rate: kept, started, strikes, trends, violations }: SoakRun): string {
  const faults = Object.entries(Object.groupBy(strikes, ({ fault }) => fault));
  const width = Math.max(...Object.keys(trends).map((name) => name.length));
  const lines = [
    `${started} executions, ${kept.toFixed(1)}/s${carried === null ? '' : ` of ${carried.toFixed(1)}/s`}`,
    `faults: ${faults.map(([name, all]) => `${all?.length} ${name}`).join(', ')}`,
    `${'series'.padEnd(width)}  readings      median         max      growth     allowed`,
    ...Object.entries(trends)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, trend]) => {
        const { readings = 0, median, max, growth, allowed } = trend ?? {};
        const columns = [median, max, growth, allowed].map((value) => told(value).padStart(10));
        return `${name.padEnd(width)}  ${String(readings).padStart(8)}  ${columns.join('  ')}`;
      }),
    ...violations.map((line) => `VIOLATED: ${line}`),
    violations.length === 0 ? 'flat' : `${violations.length} violations; logs are in ${folder}`,
  ];
  return `${lines.join('\n')}\n`;
}

function told(value: number | undefined): string {
  if (value === undefined) return '-';
  if (value >= 1_048_576) return `${(value / 1_048_576).toFixed(1)} Mi`;
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toFixed(2);
}
