import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { selectFaults } from './faults/index.ts';
import { render, summarise } from './report.ts';
import { runChaos } from './run-chaos.ts';

/*
 * npm run test:chaos -- [--minutes N] [--seed S] [--only FAULT,…] [--alike] [--json] [--keep]
 * Runs real processes under real faults; see docs/contribute/chaos.md. The exit code is 0 only for
 * a full run without a violation. `--alike` strikes equally often with each kind of fault, so that
 * a short run has all of them. The run removes its files only after exit code 0 and without --keep.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    alike: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => interrupted.abort());
}
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes wants a number above 0, such as 0.5 or 10');
const faults = selectFaults(values.only.split(',').filter((name) => name !== ''));
const folder = mkdtempSync(join(tmpdir(), `svc-chaos-${values.seed}-`));
const run = await runChaos({
  seed: values.seed,
  minutes,
  faults: values.alike ? faults.map((fault) => ({ ...fault, share: 1 })) : faults,
  folder,
  // Progress must not mix with the report on stdout.
  onProgress: (line) => process.stderr.write(`${line}\n`),
  signal: interrupted.signal,
});
process.stdout.write(
  values.json ? `${JSON.stringify(summarise(run), null, 2)}\n` : `${render(run)}\n`,
);
const isGood = run.violations.length === 0 && !interrupted.signal.aborted;
if (isGood && !values.keep) rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);
