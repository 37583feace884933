import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { fillOnce } from '../support/run-folder.ts';

/*
 * The package of the runtime as users install it, packed from a clean copy of the tree without a build.
 * The build takes long, and several test files install the package.
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const PACKED = [
  'bin',
  'console',
  'sdk/typescript/src',
  'deploy',
  'src',
  'migrations',
  'docs',
  'package.json',
  '.npmrc',
  'CHANGELOG.md',
];
const BUILT_WITH = ['README.md', 'LICENSE', 'tsconfig.json', 'tsconfig.build.json'];
/** Shorter than the tests that wait for it. */
const WITHIN_MS = 100_000;
const run = promisify(execFile);

export interface PackedRuntime {
  /** The path of the package. */
  readonly tarball: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

interface Told extends Omit<PackedRuntime, 'tarball'> {
  readonly filename: string;
}

let packed: Promise<PackedRuntime> | undefined;

/** Packs it, unless a test file of this run has done that. */
export function packRuntime(): Promise<PackedRuntime> {
  return (packed ??= packOnce());
}

async function packOnce(): Promise<PackedRuntime> {
  const folder = await fillOnce({ name: 'packed-runtime', fill: pack, withinMs: WITHIN_MS });
  const { filename, ...told } = toldBy(readFileSync(join(folder, 'told.json'), 'utf8'));
  return { ...told, tarball: join(folder, filename) };
}

async function pack(folder: string): Promise<void> {
  const source = join(folder, 'source');
  for (const entry of [...PACKED, ...BUILT_WITH]) {
    cpSync(join(REPOSITORY, entry), join(source, entry), { recursive: true });
  }
  symlinkSync(join(REPOSITORY, 'node_modules'), join(source, 'node_modules'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: source,
    timeout: WITHIN_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  rmSync(source, { recursive: true });
  writeFileSync(join(folder, 'told.json'), stdout);
}

/** npm 11 and older print a list, newer versions an object by name. */
function toldBy(stdout: string): Told {
  const told = JSON.parse(stdout) as readonly Told[] | Readonly<Record<string, Told>>;
  const [first] = Object.values(told);
  if (first === undefined) throw new Error(`npm pack names no package: ${stdout}`);
  return first;
}
