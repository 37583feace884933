import { accessSync, closeSync, constants, fdatasyncSync, mkdtempSync, openSync } from 'node:fs';
import { rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { spread } from './statistics.ts';

/**
 * Describes the machine of the figures in one line: cores, versions, load, and time of a disk
 * write.
 */
export function describeMachine(given?: {
  readonly pgbench: string | null;
  readonly server: string;
}): string {
  const [cpu] = cpus();
  return [
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'})`,
    `Node ${process.version}`,
    ...(given === undefined
      ? []
      : [
          `PostgreSQL ${given.server}`,
          given.pgbench === null ? 'L0 with pg, as there is no pgbench' : 'L0 with pgbench',
        ]),
    `fdatasync ${Math.round(fdatasyncMicros())} µs`,
    `load ${(loadavg()[0] ?? 0).toFixed(1)} at the end`,
  ].join(', ');
}

/** The first `pgbench` in the PATH; the embedded server has none. */
export function findPgbench(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      const path = join(folder, 'pgbench');
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return null;
}

/** The median time of a page write, in the folder of the run's databases. */
function fdatasyncMicros(): number {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-disk-'));
  const file = openSync(join(folder, 'pages'), 'w');
  const page = Buffer.alloc(8_192, 1);
  const taken = Array.from({ length: 50 }, () => {
    writeSync(file, page);
    const began = performance.now();
    fdatasyncSync(file);
    return (performance.now() - began) * 1_000;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return spread(taken)?.median ?? 0;
}
