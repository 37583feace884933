import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test from 'ava';

import { writeArchive } from '../../../src/shared/clients/archive/write-archive.ts';
import type { ExecutionDocument } from '../../../src/shared/domain/execution/document/execution-document.ts';
import { makeExampleRun } from '../../invariants/example-run.ts';
import { checkArchives } from './check-archives.ts';

test('an archive that misses an execution, an event or its own hash is found', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'svc-test-archives-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const { last: seen } = makeExampleRun();
  const id = 'exec_3';
  const events = seen.events.filter((event) => event.execution_id === id);
  const dump = { ...seen, retired_executions: [{ execution_id: id }] };
  const check = (folder: string, of = dump) =>
    checkArchives({ folder, dump: of, seen }).map(({ rule }) => rule);
  const write = (name: string, kept: typeof events) =>
    writeArchive({
      folder: join(root, name, 'amber'),
      name: 'a',
      documents: (async function* () {
        yield { execution: { execution_id: id }, events: kept } as unknown as ExecutionDocument;
      })(),
    });
  await write('whole', events);
  t.deepEqual(check(join(root, 'whole')), []);
  await write('short', events.slice(0, -1));
  const lost = ['an execution is archived whole before it is removed'];
  t.deepEqual(check(join(root, 'short')), lost);
  t.deepEqual(check(join(root, 'nowhere')), lost);
  const manifest = join(root, 'whole', 'amber', 'a.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace(/"sha256": "\w/, '"sha256": "x'));
  t.deepEqual(check(join(root, 'whole')), ['an archive is as its manifest describes it']);
});
