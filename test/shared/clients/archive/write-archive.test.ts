import test from 'ava';

import { ARCHIVE_FILES } from '../../../../src/shared/clients/archive/archive-files.ts';
import {
  ArchiveWriteError,
  writeArchive,
} from '../../../../src/shared/clients/archive/write-archive.ts';
import type { ExecutionDocument } from '../../../../src/shared/domain/execution/document/execution-document.ts';
import { archivesIn } from '../../../invariants/archives.ts';
import { checkArchives } from '../../../invariants/checks/check-archives.ts';
import { createArchiveDisk, type ArchiveDisk } from '../../../simulation/archive-disk.ts';
import { filesOver, type Operate } from '../../../simulation/archive-line.ts';
import { createDice } from '../../../simulation/dice.ts';

const at: Operate = async (_name, _path, run) => run();
const FOLDER = '/a/b/acme';
const FILES = [`${FOLDER}/one.jsonl.gz`, `${FOLDER}/one.json`];

async function* documents(): AsyncGenerator<ExecutionDocument> {
  for (const name of ['first', 'second']) {
    const execution = { execution_id: name, tenant_id: 'acme', status: 'completed' };
    yield { execution, events: [{ sequence: 1 }] } as unknown as ExecutionDocument;
  }
}

function write(disk: ArchiveDisk, operate = at, from = documents()) {
  const files = filesOver(disk, operate);
  return writeArchive({ folder: FOLDER, name: 'one', documents: from, files });
}

test('once it is written, a loss of power takes nothing of it, not even new folders', async (t) => {
  for (const made of ['/', '/a', '/a/b', FOLDER]) {
    const disk = createArchiveDisk();
    disk.makeFolder(made);
    // Its name was on the disk before, unless it is the tenant's.
    for (const above of ['/', '/a']) if (made.startsWith(`${above}/`)) disk.syncFolder(above);
    if (made !== '/') disk.syncFolder('/');
    const manifest = await write(disk);
    t.like(manifest, { executions: 2, events: 2 });
    const kept = disk.durableFiles();
    t.deepEqual([...kept.keys()].toSorted(), FILES.toSorted(), made);
    t.is(kept.get(FILES[0] ?? '')?.length, manifest.bytes);
  }
});

test('a loss of power at any step leaves no manifest without its whole file', async (t) => {
  let steps = 0;
  await write(createArchiveDisk(), (_name, _path, run) => {
    steps += 1;
    return Promise.resolve(run());
  });
  t.true(steps > 10, `${steps}`);
  const stop = new Error('the power is lost');
  let complete = 0;
  for (let last = 1; last < steps; last += 1) {
    for (let throwOf = 0; throwOf < 20; throwOf += 1) {
      const disk = createArchiveDisk();
      let done = 0;
      const operate: Operate = async (_name, _path, run) => {
        done += 1;
        if (done > last) throw stop;
        return run();
      };
      t.is(await t.throwsAsync(write(disk, operate)), stop);
      disk.losePower(createDice(`${last} ${throwOf}`));
      const found = new Map([...disk.files()].map(([path, text]) => [path.slice(5), text]));
      const archives = archivesIn(found, (content) => content.toString());
      const empty = { executions: [], events: [], audit_log: [] } as never;
      t.deepEqual(checkArchives({ archives }, { dump: empty, seen: empty }), []);
      complete += archives.length;
    }
  }
  t.true(complete > 0, 'some are complete before the last step');
});

test('a failed step leaves no part of a file, and the error says what to do', async (t) => {
  for (const [step, code] of [
    ['makeFolder', 'EACCES'],
    ['append', 'ENOSPC'],
    ['sync', 'EIO'],
    ['rename', 'EIO'],
  ]) {
    const disk = createArchiveDisk();
    const operate: Operate = async (name, _path, run) => {
      if (name !== step) return run();
      throw Object.assign(new Error(`${code}: it failed`), { code, syscall: name });
    };
    const error = await t.throwsAsync(write(disk, operate), { instanceOf: ArchiveWriteError });
    t.is(
      error?.message,
      `cannot write the archive ${FILES[0]}: ${code}: it failed. Retention keeps the executions that it ` +
        'cannot archive: free space, or let svc write to this folder; the next run tries again',
    );
    t.deepEqual([...disk.files().keys()], [], step);
  }
});

test('an error of the database stays as it is, and leaves no part of a file', async (t) => {
  const disk = createArchiveDisk();
  const down = new Error('the database is down');
  async function* broken(): AsyncGenerator<ExecutionDocument> {
    yield* documents();
    throw down;
  }
  t.is(await t.throwsAsync(write(disk, at, broken())), down);
  t.deepEqual([...disk.files().keys()], []);
});

test('an error that comes before anybody reads waits for the reader', async (t) => {
  async function* lines(): AsyncGenerator<string> {
    yield 'one';
    throw new Error('the database is gone');
  }
  const compressed = ARCHIVE_FILES.compress(lines());
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const read = async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of compressed) chunks.push(chunk);
  };
  await t.throwsAsync(read, { message: 'the database is gone' });
});
