import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { argv } from 'node:process';

/*
 * node prune-declarations.ts FOLDER ENTRY...
 * Removes the declarations of a built tree that the entries of the package do not reach. They would
 * double its size, and describe modules that no program can import.
 */

const [folder = '', ...entries] = argv.slice(2);
const reached = new Set<string>();
for (const entry of entries) visit(resolve(folder, entry));
for (const file of globSync('**/*.d.ts', { cwd: folder })) {
  const path = resolve(folder, file);
  if (!reached.has(path)) rmSync(path);
}

function visit(path: string): void {
  if (reached.has(path)) return;
  reached.add(path);
  const text = readFileSync(path, 'utf8');
  for (const [, specifier = ''] of text.matchAll(/(?:from |import\()'(\.[^']+)\.(?:ts|js)'/g)) {
    visit(join(dirname(path), `${specifier}.d.ts`));
  }
}
