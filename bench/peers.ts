import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Cell } from './cells.ts';

const FOLDER = new URL('peers/', import.meta.url);

/** Installs the peers in a folder of their own, never as dependencies of the product. */
export function installPeers(): void {
  // Not "npm ci": it refuses a lock file without the packages of other platforms, which not every
  // registry serves.
  if (!existsSync(new URL('node_modules/.package-lock.json', FOLDER))) {
    install('npm', ['install', '--no-save']);
  }
  if (!existsSync(new URL('node_modules/.temporal/server', FOLDER))) installTemporal();
  if (existsSync(new URL('node_modules/.absurdctl/', FOLDER))) return;
  // The schema of this peer comes with its command line, a Python package that calls psql.
  const target = ['--target', 'node_modules/.absurdctl', '--no-deps', '--quiet'];
  install('python3', ['-m', 'pip', 'install', ...target, ABSURDCTL]);
}

/** Its server and the tool that writes its schema are built from source, in about ten minutes. */
function installTemporal(): void {
  const GOBIN = fileURLToPath(new URL('node_modules/.temporal/', FOLDER));
  const programs = ['server', 'tools/sql'].map(
    (path) => `${TEMPORAL}/cmd/${path}@${TEMPORAL_VERSION}`,
  );
  install('go', ['install', ...programs], { GOBIN });
}

const ABSURDCTL = 'absurdctl==0.5.0';
const TEMPORAL = 'go.temporal.io/server';
const TEMPORAL_VERSION = 'v1.32.0';

function install(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): void {
  process.stderr.write(`installing peers: ${command} ${args.join(' ')}\n`);
  const env = { ...process.env, ...variables };
  const { status, error } = spawnSync(command, args, { cwd: FOLDER, stdio: 'inherit', env });
  // The other peers can still be measured; the table reports the one that failed.
  if (status !== 0) process.stderr.write(`${command} failed: ${error?.message ?? status}\n`);
}

interface Peer {
  readonly subject: string;
  readonly module: string;
  readonly workloads: readonly ('A' | 'B' | 'C')[];
  readonly quick: boolean;
  /** Executions at a time; 16 alone where none is given. */
  readonly inFlight?: readonly number[];
  /** Parameters of this peer alone. */
  readonly params?: Readonly<Record<string, unknown>>;
}

const PEERS: readonly Peer[] = [
  { subject: 'DBOS', module: 'peers/dbos.ts', workloads: ['A', 'B', 'C'], quick: true },
  { subject: 'Restate', module: 'peers/restate.ts', workloads: ['A', 'B', 'C'], quick: true },
  { subject: 'OpenWorkflow', module: 'peers/openworkflow.ts', workloads: ['A', 'B'], quick: true },
  { subject: 'Absurd', module: 'peers/absurd.ts', workloads: ['A', 'B'], quick: true },
  {
    subject: 'graphile-worker',
    module: 'peers/graphile-worker.ts',
    workloads: ['A'],
    quick: false,
  },
  {
    subject: 'Temporal',
    module: 'peers/temporal.ts',
    workloads: ['B'],
    quick: false,
    params: { isLocal: false },
  },
  {
    subject: 'Temporal local',
    module: 'peers/temporal.ts',
    workloads: ['B'],
    quick: false,
    inFlight: [16, 1],
    params: { isLocal: true },
  },
  { subject: 'pg-boss', module: 'peers/pg-boss.ts', workloads: ['A'], quick: false },
];

const WHAT = {
  A: { steps: 1, shape: 'chain', what: 'one step' },
  B: { steps: 10, shape: 'chain', what: 'ten steps' },
  C: { steps: 100, shape: 'fan', what: '100 steps side by side and a join' },
} as const;

const IN_FLIGHT = 16;

export function listPeerCells(): readonly Cell[] {
  return PEERS.flatMap((peer) =>
    peer.workloads.flatMap((name) =>
      (peer.inFlight ?? [IN_FLIGHT]).map((inFlight) => cellOf(peer, name, inFlight)),
    ),
  );
}

function cellOf(
  { subject, module, quick, params }: Peer,
  name: Peer['workloads'][number],
  inFlight: number,
): Cell {
  const { steps, shape, what } = WHAT[name];
  return {
    id: `${name}/${inFlight}`,
    subject,
    what: `${what}, ${inFlight} in flight`,
    unit: 'steps',
    database: 'empty',
    module,
    params: { steps, shape, inFlight, ...params },
    quick,
  };
}
