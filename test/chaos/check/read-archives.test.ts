import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test from 'ava';

import { writeArchive } from '../../../src/shared/clients/archive/write-archive.ts';
import type { ExecutionDocument } from '../../../src/shared/domain/execution/document/execution-document.ts';
import { BACK, shownIn } from '../../invariants/break-imports.ts';
import { addArchives } from '../../invariants/break-archives.ts';
import { checkArchives } from '../../invariants/checks/check-archives.ts';
import { makeExampleRun } from '../../invariants/example-run.ts';
import { readArchives } from './read-archives.ts';

test('an archive that misses an execution, an event or its own hash is found', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'svc-test-archives-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const run = addArchives(makeExampleRun());
  const dump = run.last;
  const [known] = run.archiving?.archives[0]?.documents ?? [];
  const check = (folder: string) =>
    checkArchives({ archives: readArchives(folder) }, { dump, seen: dump }).map(({ rule }) => rule);
  const write = (name: string, events: readonly object[]) =>
    writeArchive({
      folder: join(root, name, 'amber'),
      name: 'a',
      documents: (async function* () {
        yield { execution: known?.execution, events } as unknown as ExecutionDocument;
      })(),
    });
  const events = shownIn(run, BACK);
  await write('whole', events);
  t.deepEqual(check(join(root, 'whole')), []);
  await write('short', events.slice(0, -1));
  const lost = 'a removed execution is in an archive';
  t.deepEqual(check(join(root, 'short')), [lost]);
  t.deepEqual(check(join(root, 'nowhere')), [
    lost,
    'the audit log names the archive of each removal',
  ]);
  const manifest = join(root, 'whole', 'amber', 'a.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace(/"sha256": "\w/, '"sha256": "x'));
  const other = 'an archive is as its manifest describes it';
  t.deepEqual(check(join(root, 'whole')), [other]);
  writeFileSync(manifest, text);
  const file = join(root, 'whole', 'amber', 'a.jsonl.gz');
  writeFileSync(file, readFileSync(file).subarray(0, 20));
  t.deepEqual(check(join(root, 'whole')), [other, lost]);
});
