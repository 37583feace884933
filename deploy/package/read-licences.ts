import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILES = '{LICEN[CS]E,licen[cs]e,COPYING,NOTICE}*';

/** They ask for their text beside the code, and for nothing else. */
export const PERMISSIVE = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD'];

/** The licences of the packages among the modules, as text to be shipped with their code. */
export function readLicences(
  modules: readonly string[],
  accepted: readonly string[] = PERMISSIVE,
): string {
  const folders = modules
    .map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)]
    .toSorted()
    .map((folder) => readLicence(folder, accepted))
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function readLicence(folder: string, accepted: readonly string[]): string {
  const { name, version, license, homepage } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest;
  if (!accepted.includes(license)) {
    throw new Error(`${name} has the licence ${license}: the package cannot carry its code`);
  }
  const texts = globSync(LICENCE_FILES, { cwd: folder }).map((file) =>
    readFileSync(join(folder, file), 'utf8').trim(),
  );
  const from = homepage ?? `https://www.npmjs.com/package/${name}`;
  return `${[`${name} ${version}, ${license}, ${from}`, ...texts].join('\n\n')}\n`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly homepage?: string;
}
