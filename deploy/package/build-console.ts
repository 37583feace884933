import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { build } from 'vite';

import { isConsoleBuilt, readConsoleStamp, STAMP_FILE } from '../../bin/launch/source-stamp.js';

/*
 * node build-console.ts [--if-outdated]
 *
 * Writes the console into console/dist, each text beside its compressed forms, so that a process
 * compresses nothing when it serves them. The new build replaces the old one at once, and a running
 * process serves it from the next request on.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONSOLE = join(ROOT, 'console');
const DIST = join(CONSOLE, 'dist');
/** On the file system of the clone, so that a build can be renamed into its place. */
const WORKSHOP = join(ROOT, 'node_modules/.cache/svc-console');
/** Less is as fast to send as its compressed form. */
const COMPRESSED_BYTES_MIN = 1_024;
/** The highest takes ten times as long and saves a twentieth. */
const BROTLI_QUALITY = 9;
const ATTEMPTS_MAX = 5;
const COMPRESSED = /\.(?:css|js|json|svg|txt|wasm)$/;

if (!process.argv.includes('--if-outdated') || !isConsoleBuilt(ROOT)) await buildConsole();

async function buildConsole(): Promise<void> {
  await mkdir(WORKSHOP, { recursive: true });
  const folder = await mkdtemp(join(WORKSHOP, 'build-'));
  try {
    // Before anything is read: a file that changes during the build makes the build outdated.
    const stamp = readConsoleStamp(ROOT);
    const next = join(folder, 'next');
    await build({
      configFile: join(CONSOLE, 'vite.config.ts'),
      build: { outDir: next, emptyOutDir: true },
      logLevel: 'warn',
    });
    await compressAll(next);
    await writeFile(join(next, STAMP_FILE), stamp);
    await replaceBuild({ next, last: join(folder, 'last') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compressAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && COMPRESSED.test(entry.name));
  await Promise.all(files.map((entry) => compress(join(entry.parentPath, entry.name))));
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  if (content.length < COMPRESSED_BYTES_MIN) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}

/** Two builds may end at the same time; each puts its own in place of the one that it finds. */
async function replaceBuild(at: { readonly next: string; readonly last: string }): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await moveAside(at.last + attempt);
      await rename(at.next, DIST);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

async function moveAside(to: string): Promise<void> {
  try {
    await rename(DIST, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
