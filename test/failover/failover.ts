import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ChaosCluster } from '../chaos/cluster/cluster.ts';
import { render, summarise } from '../chaos/report.ts';
import { runChaos } from '../chaos/run-chaos.ts';
import { checkRefusals } from './check-refusals.ts';
import { checkSlowDisks, renderSlowDisks } from './check-slow-disks.ts';
import { endLacking } from './end-lacking.ts';
import { findLacking } from './failover-fault.ts';
import { measureOutages, renderOutages } from './outages.ts';
import { partStaleReads } from './stale-reads.ts';
import { openTopology, TOPOLOGIES } from './topologies.ts';
import { watchRecovery, type RecoveryWatch } from './watch-recovery.ts';

/*
 * npm run test:failover -- [--with servers|patroni] [--minutes N] [--seed S] [--only FAULT,…]
 *   [--asynchronous] [--json] [--keep]
 * The cluster, the clients and the checks of a chaos run, on a replicated database that fails over;
 * see docs/contribute/failover.md. The exit code is 0 only for a full run without a violation.
 */

const { values } = parseArgs({
  options: {
    with: { type: 'string', default: 'servers' },
    asynchronous: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

const kind = TOPOLOGIES.find((name) => name === values.with);
if (kind === undefined) throw new Error(`--with takes one of ${TOPOLOGIES.join(', ')}`);
if (values.asynchronous && kind !== 'patroni') throw new Error('--asynchronous needs Patroni');
const topology = await openTopology(kind, { isSynchronous: !values.asynchronous });
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => interrupted.abort());
}
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes wants a number above 0, such as 0.5 or 10');
let recovery: RecoveryWatch | null = null;
const only = values.only.split(',').filter((name) => name !== '');
const faults = topology.faults.filter(
  ({ name }) => only.length === 0 || only.some((beginning) => name.startsWith(beginning)),
);
if (faults.length === 0) throw new Error(`no fault is called ${values.only}`);
const lacking = findLacking(faults);
if (lacking !== null) endLacking(lacking);
const folder = mkdtempSync(join(tmpdir(), `svc-failover-${values.seed}-`));
const whole = await runChaos({
  seed: values.seed,
  minutes,
  faults,
  folder,
  rests: topology.rests,
  exerciseShare: topology.exerciseShare,
  startCluster: async (place) =>
    ChaosCluster.startOn(place, await topology.start(join(place, 'postgres'))),
  watch: ({ cluster, now }) => {
    recovery = watchRecovery({ cluster, database: topology.database(), now });
    return recovery;
  },
  // Progress must not mix with the report on stdout.
  onProgress: (line) => process.stderr.write(`${line}\n`),
  signal: interrupted.signal,
});
const { violations, staleReads } = partStaleReads(whole);
const {
  promotions = [],
  recoveries = [],
  answered = new Map<string, readonly number[]>(),
} = (recovery as RecoveryWatch | null) ?? {};
const slowDisks = checkSlowDisks({ ...whole, promotions, answered });
const run = {
  ...whole,
  violations: [...violations, ...checkRefusals(whole.operations), ...slowDisks.violations],
};
const outages = measureOutages(run, answered);
const told = recoveries.map(({ api, node, ms }) => `  ${api} after ${node}: ${ms ?? 'never'} ms`);
const more = { recoveries, outages, slow_disks: slowDisks.seen, stale_reads: staleReads };
process.stdout.write(
  values.json
    ? `${JSON.stringify({ ...summarise(run), ...more }, null, 2)}\n`
    : `${render(run)}\n\nstale reads from a replaced primary: ${staleReads}\n\nrecovered after promotions\n${told.join('\n')}\n\n${renderSlowDisks(slowDisks.seen)}${renderOutages(outages)}\n`,
);
const isGood = run.violations.length === 0 && !interrupted.signal.aborted;
if (isGood && !values.keep) rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);
