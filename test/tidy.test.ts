import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import * as rules from './support/gate/tidy-rules.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOT_OURS = new Set(['node_modules', '.git', 'dist', 'coverage', 'target', '.svc']);
const BYTES_MAX = 4 * 1024 * 1024;

const files = readFolder(ROOT);

test('the whole repository is read', (t) => {
  t.true(files.some(({ path }) => path === 'package.json'));
  t.true(files.some(({ path }) => path === 'test/tidy.test.ts'));
});

const TITLES: readonly (readonly [string, rules.Rule])[] = [
  ['imports go only where the layers allow', rules.keepLayers],
  ['database drivers are named in their adapters alone', rules.nameDriversInAdaptersOnly],
  ['no file imports itself, over however many others', rules.importWithoutCycles],
  [
    'domain, nodes and engine take time, chance and I/O as arguments',
    rules.takeTimeAndChanceAsArguments,
  ],
  ['the API reaches stores through use cases', rules.reachStoresThroughUseCases],
  ['commands reach stores through use cases', rules.commandsCallUseCases],
  ['both dialects have the same migrations', rules.keepMigrationsInStep],
  ['files are kebab-case and say what they do', rules.nameFilesForWhatTheyDo],
  ['folders are small enough to look through', rules.keepFoldersSmall],
  ['a rule is switched off only with a reason', rules.giveReasonsForExceptions],
  ['nothing is left for later', rules.leaveNothingForLater],
  ['no test is left out', rules.runEveryTest],
  ['the lock file is complete on every platform', rules.keepLockComplete],
  ['no path of a machine is named', rules.nameNoMachinePaths],
];

for (const [title, rule] of TITLES) {
  test(title, (t) => {
    t.deepEqual(rule(files), []);
  });
}

test('every rule is applied', (t) => {
  const applied = TITLES.map(([, rule]) => rule.name);
  t.deepEqual(applied.toSorted(), Object.keys(rules).toSorted());
});

function readFolder(folder: string): rules.RepositoryFile[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return readFolder(path);
    if (!entry.isFile()) return [];
    const bytes = readFileSync(path);
    // A zero byte is how git, too, tells what is not text.
    if (bytes.length > BYTES_MAX || bytes.includes(0)) return [];
    return [{ path: relative(ROOT, path).replaceAll('\\', '/'), text: bytes.toString('utf8') }];
  });
}
