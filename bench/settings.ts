import { parseArgs } from 'node:util';
import pg from 'pg';

import { measureChains, rounded, type Row } from './scale/experiment.ts';
import { openDatabases } from './support/databases.ts';
import type { EngineVariant } from './support/engine-process.ts';
import { renderMarkdown, renderTable, tableOf } from './support/render.ts';
import { saveLast, saveSections } from './support/save-results.ts';
import { ratios, spread } from './support/statistics.ts';

/*
 * npm run bench:settings [-- --rounds 3] [--seconds 1] [--json] [--save]
 *
 * What settings cost: workload B with each of them, and as it is by default, one after the other in
 * every round; shown are ratios to the default of the same round. `--save`: into docs/performance.md.
 */

interface Setting {
  readonly name: string;
  readonly inFlight: number;
  readonly variant?: EngineVariant;
  /** For the connections of the engine. */
  readonly options?: string;
  readonly prepare?: string;
}

/** Nothing opens its secret, so its messages are written, tried and put off, and never leave. */
const WEBHOOK = `
  insert into webhooks (webhook_id, tenant_id, url, secret, status, created_at)
  values (gen_random_uuid(), 'default', 'http://127.0.0.1:9/',
    '{"key_id":"none","box":""}', 'active', now())`;

const at = (inFlight: number): readonly Setting[] => {
  const base = { inFlight };
  return [
    { ...base, name: 'default' },
    { ...base, name: 'synchronous_commit=off', options: '-c synchronous_commit=off' },
    { ...base, name: 'a pool of 2', variant: { poolSize: 2 } },
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
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
type Figures = { readonly rate: number; readonly clientCpu: number; readonly databaseCpu: number };
const found = new Map<Setting, Map<number, Figures>>(SETTINGS.map((one) => [one, new Map()]));

const databases = await openDatabases();
try {
  for (let round = 1; round <= rounds; round += 1) {
    for (const setting of SETTINGS) {
      process.stderr.write(`round ${round}/${rounds}: ${nameOf(setting)}\n`);
      const measured = await measure(setting).catch((error: unknown) => {
        // The others are still worth having.
        process.stderr.write(`failed: ${String(error)}\n`);
        process.exitCode = 1;
      });
      if (measured !== undefined) found.get(setting)?.set(round, measured);
    }
  }
} finally {
  await databases.close();
}

const rows: readonly Row[] = SETTINGS.map((setting) => {
  const base = SETTINGS.find((one) => one.name === 'default' && one.inFlight === setting.inFlight);
  const to = (pick: (figures: Figures) => number): string => {
    const of = (one: Setting | undefined): ReadonlyMap<number, number> =>
      new Map(
        [...((one && found.get(one)) ?? [])].map(([round, figures]) => [round, pick(figures)]),
      );
    const ratio = spread(ratios(of(setting), of(base)));
    return ratio === null
      ? '–'
      : `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`;
  };
  return {
    workload: workloadOf(setting),
    setting: setting.name,
    'steps /s': rounded(
      spread([...(found.get(setting)?.values() ?? [])].map(({ rate }) => rate))?.median ?? null,
    ),
    'rate to default': to(({ rate }) => rate),
    'client CPU to default': to(({ clientCpu }) => clientCpu),
    'database CPU to default': to(({ databaseCpu }) => databaseCpu),
  };
});
saveLast({ rounds, seconds, rows }, 'settings');
console.log(options.json ? JSON.stringify(rows, null, 2) : renderTable(...tableOf(rows)));
if (options.save) await saveSections('performance', { settings: renderMarkdown(...tableOf(rows)) });

async function measure(setting: Setting): Promise<Figures> {
  const { inFlight, variant = {}, options: sent, prepare } = setting;
  const database = await databases.create('postgres');
  if (prepare !== undefined) {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(prepare);
    await client.end();
  }
  const url = new URL(database.url);
  if (sent !== undefined) url.searchParams.set('options', sent);
  const given = { inFlight, seconds, variant };
  try {
    const measured = await measureChains({ ...database, url: url.href }, given);
    return {
      rate: measured.perSecond,
      clientCpu: measured.clientCpuMicros,
      databaseCpu: measured.databaseCpuMicros ?? 0,
    };
  } finally {
    await database.drop();
  }
}

function workloadOf({ inFlight }: Setting): string {
  return `B/${inFlight}`;
}

function nameOf(setting: Setting): string {
  return `${workloadOf(setting)}, ${setting.name}`;
}
