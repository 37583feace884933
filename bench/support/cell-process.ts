import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

import { measured, type Measurement, type ServerReading, type Window } from './measurement.ts';
import type { BenchAddress, CellMessage } from './workload.ts';

const RUN_CELL = new URL('../run-cell.ts', import.meta.url);

/**
 * The product's own start keeps compiled code, and so does not load Node's remover of types again. An
 * application that embeds the package does not load it either.
 */
const KEPT_CODE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../.svc/compiled', import.meta.url)),
};

/**
 * Runs one workload once, in its own process. Throws when the process ends without a result, or
 * takes longer than `secondsMax`.
 */
export async function runCell(given: {
  readonly module: URL;
  readonly database: BenchAddress;
  readonly params: unknown;
  readonly seconds: number;
  readonly secondsMax: number;
  readonly round: number;
  readonly readServer: (() => Promise<ServerReading | null>) | null;
  readonly onProgress?: (text: string) => void;
  /** Options of Node for a process with the engine, after those of the runner. */
  readonly nodeOptions?: readonly string[];
  /** Options of Node for all processes of the workload, as in the variable `NODE_OPTIONS`. */
  readonly inheritedOptions?: string;
}): Promise<Measurement> {
  const { module, database, params, seconds, secondsMax, round, readServer } = given;
  const { nodeOptions = [], inheritedOptions } = given;
  const child = fork(
    RUN_CELL,
    [module.href, JSON.stringify({ database, params, seconds })],
    // The output of a peer must not reach the table. The process leads its own group, so that the
    // group ends with it, however it ends.
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
      // The benchmark measures the sources of the SDK.
      execArgv: [...process.execArgv, ...nodeOptions, '--conditions=svc-source'],
      env: {
        ...(nodeOptions.length > 0 && KEPT_CODE),
        ...process.env,
        ...(inheritedOptions !== undefined && { NODE_OPTIONS: inheritedOptions }),
      },
    },
  );
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said.push(chunk.toString('utf8'));
      if (said.length > SAID_MAX) said.shift();
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<Window>();
  let before: ServerReading | null = null;
  let after: ServerReading | null = null;
  child.on('message', (message: CellMessage) => {
    if (message.type === 'progress') return given.onProgress?.(message.text);
    void (async () => {
      const reading = (await readServer?.()) ?? null;
      if (message.type === 'begin') before = reading;
      else {
        after = reading;
        resolve(message.window);
      }
      child.send({ type: 'read' });
    })().catch(reject);
  });
  child.once('exit', (code, signal) => {
    reject(new Error(`${module.pathname} ended with ${code ?? signal}:\n${said.join('')}`));
  });
  const late = setTimeout(() => endGroup(child), secondsMax * 1_000);
  try {
    const window = await promise;
    const load = loadavg()[0] ?? 0;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const server = before === null || after === null ? null : { before, after };
    return measured({ round, window, server, load });
  } finally {
    clearTimeout(late);
    endGroup(child);
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended already.
  }
}

const SAID_MAX = 40;
