import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, parse } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { onInterrupt } from '../../cli/on-interrupt.ts';
import { printNote } from '../../cli/output.ts';

export interface MadeBackup {
  readonly database: string;
  readonly backup: string;
  readonly bytes: number;
  readonly version: number;
}

/**
 * Makes a backup into the folder at once and then at an interval, until a signal comes. Removes the
 * oldest ones of this database beyond `keep`, after each new one is whole. If the first fails, the
 * command fails; a later failure is a note, and the next round tries again.
 */
export async function backUpEvery(params: {
  readonly path: string;
  readonly folder: string;
  readonly everyMs: number;
  readonly keep: number;
  readonly make: (file: string) => Promise<MadeBackup>;
  readonly print: (made: MadeBackup & { readonly removed: readonly string[] }) => void;
}): Promise<void> {
  const { path, folder, everyMs, keep, make, print } = params;
  const interrupt = onInterrupt('the backup under way is finished');
  let isFirst = true;
  try {
    removeIncomplete({ path, folder });
    while (!interrupt.signal.aborted) {
      const begun = performance.now();
      try {
        const made = await make(join(folder, nameFor(path, new Date())));
        print({ ...made, removed: removeOldest({ path, folder, keep }) });
      } catch (error) {
        if (isFirst) throw error;
        printNote(`no backup: ${(error as Error).message}; the next one follows in its time`);
      }
      isFirst = false;
      const restMs = Math.max(0, everyMs - (performance.now() - begun));
      await delay(restMs, null, interrupt).catch(() => undefined);
    }
  } finally {
    interrupt.release();
  }
}

/** Names sort by time: `svc-20261121T101400Z.db`. */
function nameFor(path: string, at: Date): string {
  const { name, ext } = parse(path);
  return `${name}-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}${ext}`;
}

interface Place {
  readonly path: string;
  readonly folder: string;
}

function removeOldest(of: Place & { readonly keep: number }): readonly string[] {
  const own = listOwn(of, '').toSorted();
  const oldest = own.slice(0, Math.max(0, own.length - of.keep));
  for (const file of oldest) rmSync(join(of.folder, file));
  return oldest;
}

/** A run that was killed leaves an incomplete copy. */
function removeIncomplete(of: Place): void {
  if (!existsSync(of.folder)) return;
  for (const suffix of ['', '-wal', '-shm']) {
    for (const file of listOwn(of, `.partial${suffix}`)) rmSync(join(of.folder, file));
  }
}

/** Files with names of backups of this database. */
function listOwn({ path, folder }: Place, suffix: string): readonly string[] {
  const { name, ext } = parse(path);
  return readdirSync(folder).filter((file) => {
    const stamp = file.slice(name.length + 1, file.length - ext.length - suffix.length);
    return STAMP.test(stamp) && file === `${name}-${stamp}${ext}${suffix}`;
  });
}

const STAMP = /^\d{8}T\d{6}Z$/;
