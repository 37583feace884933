import { tellDuration } from '../../domain/execution/explain/scene.ts';
import type { SqliteFacts } from '../../store/installation.ts';
import { AFTER_RESTORE, type Check, fail, type Finding, ok, skipped, warn } from './check.ts';
import type { Limits } from './limits.ts';

/** A check that applies to SQLite alone. */
function onSqlite(name: string, judge: (server: SqliteFacts, limits: Limits) => Finding): Check {
  return {
    name,
    needs: 'server',
    judge: ({ server }, limits) => (server.dialect === 'sqlite' ? judge(server, limits) : null),
  };
}

const SYNCHRONOUS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

const durability = onSqlite('durability', ({ journalMode, synchronous }) => {
  const seen = `journal_mode ${journalMode}, synchronous ${SYNCHRONOUS[synchronous] ?? synchronous}`;
  return journalMode === 'wal' && synchronous >= 2
    ? ok(seen)
    : fail(seen, 'put the file on a local disk: a write-ahead log that is synced is needed');
});

const integrity = onSqlite('integrity', ({ damage, fileBytes }) => {
  if (damage === null) {
    return skipped(
      `${tellBytes(fileBytes)} are too much to read at once`,
      'run "pragma quick_check" on a copy',
    );
  }
  const [first] = damage;
  if (first === undefined) return ok(`${tellBytes(fileBytes)}, no damage found`);
  return fail(first, 'stop every process that uses the file and restore it from a backup');
});

const wal = onSqlite('write-ahead log', ({ walBytes }, limits) => {
  const seen = tellBytes(walBytes);
  const advice = 'see which process reads for so long: the log is emptied when no reader needs it';
  if (walBytes >= limits.walBytes.fail) return fail(seen, advice);
  return walBytes >= limits.walBytes.warn ? warn(seen, advice) : ok(seen);
});

const disk = onSqlite('disk', ({ freeBytes }, limits) => {
  const seen = `${tellBytes(freeBytes)} free`;
  const advice = 'make room on the disk of the database file';
  if (freeBytes < limits.freeBytes.fail) return fail(seen, advice);
  return freeBytes < limits.freeBytes.warn ? warn(seen, advice) : ok(seen);
});

const WRITE = 0o022;
const READ = 0o044;
const ENTER = 0o011;

/** The rights of other users on the file, if they may enter its directory. */
const permissions = onSqlite('permissions', ({ path, fileMode, directoryMode }) => {
  const seen = `file ${tellMode(fileMode)}, directory ${tellMode(directoryMode)}`;
  const advice = `chmod 600 ${path}`;
  if ((directoryMode & ENTER) === 0) return ok(seen);
  if ((fileMode & WRITE) !== 0) return fail(`${seen}: others may write to it`, advice);
  return (fileMode & READ) === 0 ? ok(seen) : warn(`${seen}: others may read it`, advice);
});

const restore = onSqlite('restore', ({ restored }, { restoredMsWarn }) => {
  if (restored === null) return ok('no replaced database is beside the file');
  const { keptAs, ageMs } = restored;
  const seen = `restored ${tellDuration(ageMs)} ago; the replaced database is ${keptAs}`;
  return ageMs < restoredMsWarn ? warn(seen, AFTER_RESTORE) : ok(seen);
});

export const SQLITE_CHECKS = [durability, integrity, wal, disk, permissions, restore];

function tellMode(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}

function tellBytes(bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.ceil(bytes / 1024)} KiB`;
  if (bytes < 1024 ** 3) return `${Math.round(bytes / 1024 ** 2)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
