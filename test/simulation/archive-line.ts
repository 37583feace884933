import type { ArchiveFiles } from '../../src/shared/clients/archive/archive-files.ts';
import type { ArchiveDisk } from './archive-disk.ts';
import type { Dice } from './dice.ts';
import type { FaultKind, Faults } from './faults.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** A failed operation of a process, which must report it if it lives on. */
export interface FailedArchive {
  readonly process: Process;
  readonly path: string;
}

/**
 * The files of archives as one process reaches them. Each operation takes time and may fail, and the
 * process may die right before or after it.
 */
export function createArchiveLine(params: {
  readonly world: World;
  readonly disk: ArchiveDisk;
  readonly process: Process;
  readonly dice: Dice;
  readonly faults: Faults;
  readonly onCrash: () => void;
  readonly onFailure: (failed: FailedArchive) => void;
}): ArchiveFiles {
  const { world, disk, process, dice, faults, onCrash, onFailure } = params;
  const latencyMs = (): number => (dice.chance(0.1) ? dice.fraction() * 60 : dice.fraction() * 2);

  /** Like a call of the operating system: `run` happens at one moment. */
  function operate<Result>(name: string, path: string, run: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => {
        world.after(latencyMs(), () => process.enter(settle));
      };
      world.after(latencyMs(), () => {
        if (!process.isAlive()) return;
        const dies = faults.strikes('crash_at_archive') ? dice.pick(['before', 'after']) : null;
        if (dies === 'before') return onCrash();
        world.note(`${process.name} archive ${name} ${path}`);
        const fault = faultAt(name);
        if (fault === null) {
          const result = run();
          answer(() => resolve(result));
        } else {
          world.note(`${process.name} archive ${name} ! ${fault}`);
          onFailure({ process, path });
          answer(() => reject(errorOf(fault, name)));
        }
        if (dies === 'after') onCrash();
      });
    });
  }

  function faultAt(name: string): keyof typeof ERRORS | null {
    if (name === 'append' && faults.strikes('archive_full')) return 'archive_full';
    return name !== 'remove' && faults.strikes('archive_away') ? 'archive_away' : null;
  }

  return filesOver(disk, operate);
}

/** Errors of the operating system. */
const ERRORS = {
  archive_full: { code: 'ENOSPC' },
  archive_away: { code: 'ESTALE' },
} satisfies Partial<Record<FaultKind, { code: string }>>;

function errorOf(kind: keyof typeof ERRORS, syscall: string): Error {
  const { code } = ERRORS[kind];
  return Object.assign(new Error(`${code}: simulated ${kind}, ${syscall}`), { code, syscall });
}

/** Carries out one operation, which `run` does. */
export type Operate = <Result>(name: string, path: string, run: () => Result) => Promise<Result>;

/** The files of a disk, each operation by way of `operate`. */
export function filesOver(disk: ArchiveDisk, operate: Operate): ArchiveFiles {
  return {
    makeFolder: (path) => operate('makeFolder', path, () => disk.makeFolder(path)),
    create: async (path) => {
      await operate('create', path, () => disk.create(path));
      return {
        append: (chunk) => operate('append', path, () => disk.append(path, chunk)),
        sync: () => operate('sync', path, () => disk.sync(path)),
        close: async () => {},
      };
    },
    rename: (from, to) => operate('rename', from, () => disk.rename(from, to)),
    remove: (path) => operate('remove', path, () => disk.remove(path)),
    syncFolder: (path) => operate('syncFolder', path, () => disk.syncFolder(path)),
    // Compressing happens in other threads, at moments that no seed decides.
    async *compress(lines) {
      for await (const line of lines) yield Buffer.from(line);
    },
  };
}
