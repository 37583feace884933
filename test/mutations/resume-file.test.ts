import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test from 'ava';

import { openResumeFile, versionOf } from './resume-file.ts';
import type { Found } from './render-finders.ts';

let folder: string;
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-resume-'));
});
test.afterEach.always(() => rm(folder, { recursive: true, force: true }));

const found = (bug: string): Found => ({ bug, by: 'simulation', check: 'a rule', seconds: 1 });

test.serial('a run continues with what an earlier one has found', async (t) => {
  const path = join(folder, 'found.jsonl');
  const first = await openResumeFile(path, 'one');
  t.is(first.found.size, 0);
  await first.add(found('a'));
  await first.add(found('b'));
  // The run dies while it writes a line.
  await appendFile(path, '{"bug":"c","by"');
  const second = await openResumeFile(path, 'one');
  t.deepEqual([...second.found.values()], [found('a'), found('b')]);
  await second.add(found('c'));
  const third = await openResumeFile(path, 'one');
  t.deepEqual([...third.found.keys()], ['a', 'b', 'c']);
});

test.serial('a file of other code is refused', async (t) => {
  const path = join(folder, 'found.jsonl');
  await (await openResumeFile(path, 'one')).add(found('a'));
  await t.throwsAsync(openResumeFile(path, 'two'), { message: /of other code/ });
  await writeFile(path, 'something else\n');
  await t.throwsAsync(openResumeFile(path, 'one'), { message: /of other code/ });
});

test.serial(
  'code is another once a file has other content, another name or another place',
  async (t) => {
    const code = join(folder, 'code');
    await mkdir(join(code, 'inner'), { recursive: true });
    await writeFile(join(code, 'a.ts'), 'one');
    const versions = new Set([await versionOf(code)]);
    await writeFile(join(code, 'a.ts'), 'two');
    versions.add(await versionOf(code));
    await rm(join(code, 'a.ts'));
    await writeFile(join(code, 'b.ts'), 'two');
    versions.add(await versionOf(code));
    await rm(join(code, 'b.ts'));
    await writeFile(join(code, 'inner', 'b.ts'), 'two');
    versions.add(await versionOf(code));
    t.is(versions.size, 4);
    t.true(versions.has(await versionOf(code)));
  },
);
