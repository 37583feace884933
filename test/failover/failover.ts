import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ChaosCluster } from '../chaos/cluster/cluster.ts';
import { render, summarise } from '../chaos/report.ts';
import { runChaos } from '../chaos/run-chaos.ts';
import { failoverFaults } from './faults.ts';
import { ReplicatedPostgres } from './replicated-postgres.ts';
import { partStaleReads } from './stale-reads.ts';
import { watchRecovery, type RecoveryWatch } from './watch-recovery.ts';

/*
 * npm run test:failover -- [--minutes N] [--seed S] [--only FAULT,…] [--json] [--keep]
 * The cluster, the clients and the checks of a chaos run, on a replicated database that fails over;
 * see docs/contribute/failover.md. The exit code is 0 only for a full run without a violation.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
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
const folder = mkdtempSync(join(tmpdir(), `svc-failover-${values.seed}-`));
let database: ReplicatedPostgres | null = null;
let recovery: RecoveryWatch | null = null;
const opened = (): ReplicatedPostgres => {
  if (database === null) throw new Error('the database is not open yet');
  return database;
};
const only = values.only.split(',').filter((name) => name !== '');
const faults = failoverFaults(opened).filter(
  ({ name }) => only.length === 0 || only.some((beginning) => name.startsWith(beginning)),
);
if (faults.length === 0) throw new Error(`no fault is called ${values.only}`);
const whole = await runChaos({
  seed: values.seed,
  minutes,
  faults,
  folder,
  // Three servers share the processors: at the usual pace these are saturated, and nothing recovers.
  rests: 3,
  startCluster: async (place) => {
    database = await ReplicatedPostgres.create(join(place, 'postgres'));
    return ChaosCluster.startOn(place, database);
  },
  watch: ({ cluster }) => {
    recovery = watchRecovery(cluster, opened());
    return recovery;
  },
  // Progress must not mix with the report on stdout.
  onProgress: (line) => process.stderr.write(`${line}\n`),
  signal: interrupted.signal,
});
const { violations, staleReads } = partStaleReads(whole);
const run = { ...whole, violations };
const recoveries = (recovery as RecoveryWatch | null)?.recoveries ?? [];
const told = recoveries.map(({ api, node, ms }) => `  ${api} after ${node}: ${ms ?? 'never'} ms`);
process.stdout.write(
  values.json
    ? `${JSON.stringify({ ...summarise(run), recoveries, stale_reads: staleReads }, null, 2)}\n`
    : `${render(run)}\n\nstale reads from a replaced primary: ${staleReads}\n\nrecovered after promotions\n${told.join('\n')}\n`,
);
const isGood = run.violations.length === 0 && !interrupted.signal.aborted;
if (isGood && !values.keep) rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);
