import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { CONNECTIONS_MIN } from '../src/shared/store/postgres/connection/divide-connections.ts';
import { runOnServer } from '../test/support/database.ts';
import { measureChains, type Row } from './scale/experiment.ts';
import { openDatabases } from './support/databases.ts';
import { MAX_OVERFLOW, type EngineVariant } from './support/engine-process.ts';
import { describeMachine } from './support/machine.ts';
import { renderSection, renderTable, tableOf } from './support/render.ts';
import { readLast, saveLast, saveSections } from './support/save-results.ts';
import { ratios, spread } from './support/statistics.ts';

/*
 * npm run bench:settings [-- --rounds 3] [--seconds 1] [--add] [--json] [--save]
 * Measures the cost of settings. Every round runs workload B with the defaults and with each
 * setting, one after the other, and the table shows ratios to the default of the same round.
 * `--add` adds the rounds of the last run. `--save` writes to docs/concepts/performance.md.
 */

interface Setting {
  readonly name: string;
  readonly inFlight: number;
  readonly variant?: EngineVariant;
  /** Options for the connections of the engine. */
  readonly options?: string;
  readonly prepare?: string;
}

/** No key opens its secret, so its messages are written, tried and postponed, but never sent. */
const WEBHOOK = `
  insert into webhooks (webhook_id, tenant_id, url, secret, status, created_at)
  values (gen_random_uuid(), 'default', 'http://127.0.0.1:9/',
    '{"key_id":"none","box":""}', 'active', now())`;

const at = (inFlight: number): readonly Setting[] => {
  const base = { inFlight };
  return [
    { ...base, name: 'default' },
    { ...base, name: 'synchronous_commit=off', options: '-c synchronous_commit=off' },
    {
      ...base,
      name: 'the fewest connections',
      variant: { poolSize: CONNECTIONS_MIN - MAX_OVERFLOW },
    },
    { ...base, name: 'nothing metered', variant: { metered: false } },
    { ...base, name: 'pg_stat_statements off', options: '-c pg_stat_statements.track=none' },
    { ...base, name: 'a webhook for everything', prepare: WEBHOOK },
  ];
};
const SETTINGS = [...at(16), ...at(256)];

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    add: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const began = new Date();
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
interface Figures {
  readonly workload: string;
  readonly setting: string;
  readonly round: number;
  readonly rate: number;
  readonly clientCpu: number;
  readonly databaseCpu: number;
  readonly load: number;
}

/** A higher load means that the machine was shared, and only counters are comparable. */
const LOAD_MAX = 2 * cpus().length;
const before: readonly Figures[] = options.add ? readLast<Report>('settings').figures : [];
const figures = [...before];
const databases = await openDatabases();
try {
  for (let round = 1; round <= rounds; round += 1) {
    const number = 1 + Math.max(0, ...figures.map((one) => one.round));
    for (const setting of rotated(SETTINGS, number * 5)) {
      process.stderr.write(`round ${round}/${rounds}: ${workloadOf(setting)}, ${setting.name}\n`);
      try {
        figures.push(await measure(setting, number));
      } catch (error) {
        // The results of the others are still useful.
        process.stderr.write(`failed: ${String(error)}\n`);
        process.exitCode = 1;
      }
    }
  }
} finally {
  await databases.close();
}

interface Report {
  readonly began: Date;
  readonly machine: string;
  readonly figures: readonly Figures[];
  readonly rows: readonly Row[];
}

const rows = SETTINGS.map((setting) => {
  const ours = of(setting.name);
  const usual = of('default');
  const to = (pick: (one: Figures) => number, counts = (_: Figures) => true): string => {
    const values = (all: readonly Figures[]): ReadonlyMap<number, number> =>
      new Map(all.filter(counts).map((one) => [one.round, pick(one)]));
    const found = spread(ratios(values(ours), values(usual)));
    if (found === null) return '–';
    return `${found.median.toFixed(2)} (${found.min.toFixed(2)}–${found.max.toFixed(2)})`;
  };
  return {
    workload: workloadOf(setting),
    setting: setting.name,
    'rate to default': to(
      ({ rate }) => rate,
      ({ load }) => load <= LOAD_MAX,
    ),
    'client CPU to default': to(({ clientCpu }) => clientCpu),
    'database CPU to default': to(({ databaseCpu }) => databaseCpu),
  };

  function of(name: string): readonly Figures[] {
    const workload = workloadOf(setting);
    return figures.filter((one) => one.workload === workload && one.setting === name);
  }
});
const report: Report = { began, machine: describeMachine(), figures, rows };
saveLast(report, 'settings');
console.log(options.json ? JSON.stringify(report, null, 2) : renderTable(...tableOf(rows)));
if (options.save) await saveSections('performance', { settings: renderSection(rows, report) });

/** The first setting of a round finds a cold server, so each round begins with a different one. */
function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

async function measure(setting: Setting, round: number): Promise<Figures> {
  const { inFlight, variant = {}, options: sent, prepare } = setting;
  const database = await databases.create('postgres');
  try {
    if (prepare !== undefined) await runOnServer(database.url, prepare);
    const url = new URL(database.url);
    if (sent !== undefined) url.searchParams.set('options', sent);
    const given = { inFlight, seconds, variant };
    const measured = await measureChains({ ...database, url: url.href }, given);
    return {
      workload: workloadOf(setting),
      setting: setting.name,
      round,
      rate: measured.perSecond,
      clientCpu: measured.clientCpuMicros,
      databaseCpu: measured.databaseCpuMicros ?? 0,
      load: measured.load,
    };
  } finally {
    await database.drop();
  }
}

function workloadOf({ inFlight }: Setting): string {
  return `B/${inFlight}`;
}
