import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const GIB = 1024 ** 3;
/** A whole run takes less than two GiB of files at a time, in thousands of databases of ten MiB. */
const NEEDED = { space: 4 * GIB, memory: 8 * GIB };

/**
 * A folder in memory for the files of a test run. Nothing of a run survives it, and a third of its
 * processor time would otherwise go into files on a disk. Null: memory is short, or the folder does
 * not run programs, as in most containers.
 */
export function fastFolder(
  given: { readonly parent?: string; readonly freeMemory?: number } = {},
): string | null {
  const { parent = '/dev/shm', freeMemory = process.availableMemory() } = given;
  if (freeMemory < NEEDED.memory) return null;
  try {
    const { bavail, bsize } = statfsSync(parent);
    if (bavail * bsize < NEEDED.space) return null;
    const folder = mkdtempSync(join(parent, 'svc-test-'));
    if (runsPrograms(folder)) return folder;
    rmSync(folder, { recursive: true });
    return null;
  } catch {
    // There is no such folder, or it is another user's.
    return null;
  }
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
