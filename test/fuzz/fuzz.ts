import { parseArgs } from 'node:util';

import { openDatabase, openTarget } from './open-target.ts';
import { renderReport } from './render-report.ts';
import { runCampaign } from './run-campaign.ts';

/*
 * npm run test:fuzz -- [--seconds N] [--seed S] [--store sqlite|postgres] [--json]
 *
 * Sends hostile input to a real process, in rounds, until the time is up. Exits with 1 if a rule
 * was broken. See docs/contribute/fuzzing.md.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    store: { type: 'string', default: 'sqlite' },
    json: { type: 'boolean', default: false },
  },
});
const { store, seed } = values;
if (store !== 'sqlite' && store !== 'postgres') {
  throw new Error(`--store ${store}: choose sqlite or postgres`);
}
const secondsMax = Number(values.seconds);
const roundsMax = Number(values.rounds ?? Infinity);
if (Number.isNaN(secondsMax) || Number.isNaN(roundsMax)) {
  throw new Error('--seconds and --rounds take a number');
}

const database = await openDatabase(store);
const target = await openTarget(database.url);
const began = performance.now();
const report = await runCampaign({
  ...target,
  seed,
  limits: { memoryGrowthMb: 400, cpuMs: 2_000, healthMs: 5_000 },
  holdsOpen: secondsMax >= 60,
  goesOn: (rounds) => rounds < roundsMax && performance.now() - began < secondsMax * 1_000,
  progress: (text) => void process.stderr.write(`${text}\n`),
});
await target.close();
await database.close();
const shown = values.json
  ? JSON.stringify({
      store,
      ...report,
      findings: report.findings.map(({ bytes, ...rest }) => ({
        ...rest,
        bytes: bytes.toString('hex'),
      })),
    })
  : renderReport(report, target.runtime.url);
process.stdout.write(`${shown}\n`);
process.exitCode = report.findings.length === 0 ? 0 : 1;
