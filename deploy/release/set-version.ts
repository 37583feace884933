import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

import { DIGEST_FILE, digestOfChart } from '../../test/deploy/chart-cases.ts';
import { DECIDING_FILE, readStatedVersions } from './version-places.ts';

/*
 * npm run release:version -- VERSION
 * Gives all packages, images and documents of the repository one version.
 */

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const [next = ''] = argv.slice(2);

if (!/^\d+\.\d+\.\d+$/.test(next)) {
  process.stderr.write(`usage: npm run release:version -- VERSION, as in 1.2.3, not "${next}"\n`);
  process.exit(2);
}

const lost = readStatedVersions(REPOSITORY).filter(({ versions }) => versions.length === 0);
if (lost.length > 0) {
  const files = lost.map(({ file }) => file).join(', ');
  process.stderr.write(`no version found in ${files}: mend deploy/release/version-places.ts\n`);
  process.exit(1);
}

replaceIn(DECIDING_FILE, /(?<=^ {2}"version": ")[^"]+/m);
for (const { file, pattern } of readStatedVersions(REPOSITORY)) replaceIn(file, pattern);
// The digest covers the chart, which states the version.
writeFileSync(DIGEST_FILE, digestOfChart());
process.stdout.write(`everything is ${next} now; write what it brings into CHANGELOG.md\n`);

function replaceIn(file: string, pattern: RegExp): void {
  const path = join(REPOSITORY, file);
  const text = readFileSync(path, 'utf8');
  const replaced = text.replace(pattern, next);
  if (replaced === text) return;
  writeFileSync(path, replaced);
  process.stdout.write(`${file}\n`);
}
