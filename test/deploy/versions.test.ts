import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import test from 'ava';

import { DECIDING_FILE, readStatedVersions } from '../../deploy/release/version-places.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${REPOSITORY}/${DECIDING_FILE}`, 'utf8')) as {
  readonly version: string;
};

test('all packages, images and documents state one version', (t) => {
  const places = readStatedVersions(REPOSITORY);
  t.true(places.length > 0);
  for (const { file, pattern, versions } of places) {
    t.not(versions.length, 0, `${file} states no version that ${String(pattern)} finds`);
    const others = versions.filter((stated) => stated !== version);
    t.deepEqual(others, [], `${file}: run npm run release:version -- ${version}`);
  }
});
