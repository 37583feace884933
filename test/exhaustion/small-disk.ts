import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';

import { whenThisProcessEnds } from '../chaos/cluster/guardian.ts';
import { SERVER_OWNER } from '../support/servers/postgres-server.ts';

/** Lazily: processes of the run may still use files there. */
const CLEAN_UP = 'umount -l "$1"';
const BALLAST = 'ballast';
const BLOCK = Buffer.alloc(64 * 1_024);

/** A small file system in memory that a file of ballast fills. */
export class SmallDisk {
  readonly path: string;
  readonly #guardian: { readonly release: () => Promise<void> };

  /** Mounts it on a new folder, which belongs to the user of the servers. */
  static mount(path: string, megabytes: number): SmallDisk {
    fs.mkdirSync(path, { mode: 0o700 });
    const { status, stderr } = spawnSync(
      'mount',
      ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', path],
      { encoding: 'utf8' },
    );
    if (status !== 0) {
      throw new Error(
        `a small disk needs the right to mount: run this as root on Linux: ${stderr}`,
      );
    }
    const { uid, gid } = SERVER_OWNER;
    if (uid !== undefined && gid !== undefined) fs.chownSync(path, uid, gid);
    return new SmallDisk(path);
  }

  private constructor(path: string) {
    this.path = path;
    this.#guardian = whenThisProcessEnds(CLEAN_UP, [path]);
  }

  get freeBytes(): number {
    const { bavail, bsize } = fs.statfsSync(this.path);
    return bavail * bsize;
  }

  /** Leaves no byte. */
  fill(): void {
    const file = fs.openSync(join(this.path, BALLAST), 'a');
    try {
      for (let size = BLOCK.length; size >= 1;) {
        try {
          fs.writeSync(file, BLOCK, 0, size);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size = Math.floor(size / 2);
        }
      }
    } finally {
      fs.closeSync(file);
    }
  }

  free(): void {
    fs.rmSync(join(this.path, BALLAST), { force: true });
  }

  async unmount(): Promise<void> {
    const attempts = [[this.path], ['-l', this.path]];
    const errors: string[] = [];
    for (const args of attempts) {
      const { status, stderr, error } = spawnSync('umount', args, { encoding: 'utf8' });
      if (status === 0) break;
      errors.push(error?.message ?? stderr.trim());
    }
    if (errors.length === attempts.length) {
      throw new Error(`${this.path} stays mounted, unmount it as root: ${errors.join('; ')}`);
    }
    await this.#guardian.release();
  }
}
