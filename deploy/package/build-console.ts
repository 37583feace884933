import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { build, type Plugin } from 'vite';

import { isConsoleBuilt, readConsoleStamp, STAMP_FILE } from '../../bin/launch/source-stamp.js';
import { PERMISSIVE, readLicences } from './read-licences.ts';

/*
 * node build-console.ts [--if-outdated]
 *
 * Writes the console into console/dist, large texts in their compressed forms alone: the package stays
 * small, and a process compresses nothing when it serves them. The new build replaces the old one at once, and a running
 * process serves it from the next request on.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONSOLE = join(ROOT, 'console');
const DIST = join(CONSOLE, 'dist');
/** On the file system of the build's place, so that a build can be renamed into it. */
const WORKSHOP = join(CONSOLE, 'node_modules/.cache/builds');
/** Less is as fast to send as its compressed form. */
const COMPRESSED_BYTES_MIN = 1_024;
/** Files of the console hold the code of one library alone, or of permissive ones. */
const LICENCES = [...PERMISSIVE, 'EPL-2.0 OR GPL-3.0-or-later'];
/** The highest takes ten times as long and saves a twentieth. */
const BROTLI_QUALITY = 9;
const ATTEMPTS_MAX = 5;
const COMPRESSED = /\.(?:css|js|json|svg|txt|wasm)$/;

if (!process.argv.includes('--if-outdated') || !isConsoleBuilt(ROOT)) await buildConsole();

async function buildConsole(): Promise<void> {
  await mkdir(WORKSHOP, { recursive: true });
  const folder = await mkdtemp(join(WORKSHOP, 'build-'));
  process.once('SIGTERM', () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(143);
  });
  try {
    // Before anything is read: a file that changes during the build makes the build outdated.
    const stamp = readConsoleStamp(ROOT);
    const next = join(folder, 'next');
    const modules = await bundle(next);
    await compressAll(next);
    await writeFile(join(next, 'LICENSES.txt'), readLicences(modules, LICENCES));
    await writeFile(join(next, STAMP_FILE), stamp);
    await replaceBuild({ next, last: join(folder, 'last') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Answers the paths of the modules that became part of it, those of its workers too. */
async function bundle(outDir: string): Promise<readonly string[]> {
  const modules = new Set<string>();
  const note: Plugin = {
    name: 'note-modules',
    generateBundle(_options, output) {
      for (const part of Object.values(output)) {
        if (part.type === 'chunk') for (const id of part.moduleIds) modules.add(id);
      }
    },
  };
  await build({
    configFile: join(CONSOLE, 'vite.config.ts'),
    plugins: [note],
    worker: { plugins: () => [note] },
    build: { outDir, emptyOutDir: true },
    logLevel: 'warn',
  });
  return [...modules];
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
  await rm(file);
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
