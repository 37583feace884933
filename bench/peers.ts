import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import type { Cell } from './cells.ts';

const FOLDER = new URL('peers/', import.meta.url);

/** Installs the peers in a folder of their own, never as dependencies of the product. */
export function installPeers(): void {
  if (!existsSync(new URL('node_modules/', FOLDER))) install('npm', ['ci']);
  if (existsSync(new URL('node_modules/.absurdctl/', FOLDER))) return;
  // The schema of this peer comes with its command line, a Python package that calls psql.
  const target = ['--target', 'node_modules/.absurdctl', '--no-deps', '--quiet'];
  install('python3', ['-m', 'pip', 'install', ...target, ABSURDCTL]);
}

const ABSURDCTL = 'absurdctl==0.5.0';

function install(command: string, args: readonly string[]): void {
  process.stderr.write(`installing peers: ${command} ${args.join(' ')}\n`);
  const { status, error } = spawnSync(command, args, { cwd: FOLDER, stdio: 'inherit' });
  // The other peers can still be measured; the table reports the one that failed.
  if (status !== 0) process.stderr.write(`${command} failed: ${error?.message ?? status}\n`);
}

interface Peer {
  readonly subject: string;
  readonly module: string;
  readonly workloads: readonly ('A' | 'B' | 'C')[];
  readonly quick: boolean;
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
  { subject: 'pg-boss', module: 'peers/pg-boss.ts', workloads: ['A'], quick: false },
];

const WHAT = {
  A: { steps: 1, shape: 'chain', what: 'one step' },
  B: { steps: 10, shape: 'chain', what: 'ten steps' },
  C: { steps: 100, shape: 'fan', what: '100 steps side by side and a join' },
} as const;

const IN_FLIGHT = 16;

export function listPeerCells(): readonly Cell[] {
  return PEERS.flatMap(({ subject, module, workloads, quick }) =>
    workloads.map((name): Cell => {
      const { steps, shape, what } = WHAT[name];
      return {
        id: `${name}/${IN_FLIGHT}`,
        subject,
        what: `${what}, ${IN_FLIGHT} in flight`,
        unit: 'steps',
        database: 'empty',
        module,
        params: { steps, shape, inFlight: IN_FLIGHT },
        quick,
      };
    }),
  );
}
