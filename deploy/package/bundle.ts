import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

import { STAMP_FILE, isBuiltFrom, readStamp } from '../../bin/launch/source-stamp.js';
import { chooseChunk } from './choose-chunk.ts';
import { leaveUnmapped } from './leave-unmapped.ts';
import { loadBuiltinsPlainly } from './load-builtins-plainly.ts';
import { readLicences } from './read-licences.ts';

/*
 * node bundle.ts [--if-outdated]
 *
 * Writes the program into dist/bundle, and its migrations into dist/migrations: the commands, the
 * entries of the library and the tasks of worker threads. They share their chunks, so a process has
 * each module once, even if it loads several entries. Modules that are imported on demand stay in
 * chunks of their own. A start then loads some tens of files instead of a thousand. With
 * --if-outdated, it keeps a build of the sources as they are.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUNDLE = join(ROOT, 'dist/bundle');
/** A build finds the nearest ones above it, so those of an earlier build must not stay. */
const MIGRATIONS = join(ROOT, 'dist/migrations');

const ENTRIES = {
  svc: 'bin/svc.ts',
  'svc-api': 'bin/svc-api.ts',
  'svc-scheduler': 'bin/svc-scheduler.ts',
  index: 'src/index.ts',
  testing: 'src/runtime/testing/index.ts',
  // Beside the chunk of src/scheduler/pool/pool.ts, which names them by their URLs.
  'tasks/validate-schema': 'src/scheduler/pool/tasks/validate-schema.ts',
  'tasks/decide': 'src/scheduler/pool/tasks/decide.ts',
  'tasks/read-document': 'src/scheduler/pool/tasks/read-document.ts',
  'tasks/scan-vectors': 'src/scheduler/pool/tasks/scan-vectors.ts',
  'tasks/simulate': 'src/scheduler/pool/tasks/simulate.ts',
};

/** Read by src/api/docs-page/render-page.ts from the folder of its chunk. */
const ASSETS = ['page.js', 'page.css'].map((name) => join('src/api/docs-page', name));

/** JavaScript alone, and loaded by every start. All other packages are loaded from where they are installed. */
const INLINED = [
  '@koa/router',
  '@marcbachmann/cel-js',
  'commander',
  'croner',
  'koa',
  'pino',
  'smol-toml',
  'zod',
];

if (!process.argv.includes('--if-outdated') || !isBuiltFrom(ROOT, BUNDLE)) await build();

async function build(): Promise<void> {
  // Before anything is read: a file that changes during the build makes the build outdated.
  const stamp = readStamp(ROOT);
  rmSync(BUNDLE, { recursive: true, force: true });
  rmSync(MIGRATIONS, { recursive: true, force: true });
  const modules = await bundle();
  cpSync(join(ROOT, 'migrations'), MIGRATIONS, { recursive: true });
  for (const asset of ASSETS) cpSync(join(ROOT, asset), join(BUNDLE, asset.replace(/.*\//, '')));
  writeFileSync(join(BUNDLE, 'LICENSES.txt'), readLicences(modules));
  writeFileSync(join(BUNDLE, STAMP_FILE), stamp);
}

/** Answers the paths of the modules that became part of it. */
async function bundle(): Promise<readonly string[]> {
  const program = await rolldown({
    cwd: ROOT,
    input: ENTRIES,
    platform: 'node',
    external: listExternal(),
    plugins: [loadBuiltinsPlainly, leaveUnmapped],
    resolve: { conditionNames: ['svc-source', 'node', 'import'] },
    // Chunks of our own choice may get exports that no entry has.
    preserveEntrySignatures: 'allow-extension',
    // A dependency of koa calls it.
    checks: { eval: false },
  });
  const { output } = await program.write({
    dir: BUNDLE,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      // `chooseChunk` keeps importers and what they import in order.
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'start', name: chooseChunk(ROOT) }],
    },
    // Names stay, since logs and errors show them.
    minify: { compress: false, mangle: false, codegen: true },
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await program.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

function listExternal(): RegExp[] {
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { readonly dependencies: Record<string, string> };
  return Object.keys(dependencies)
    .filter((name) => !INLINED.includes(name))
    .map((name) => new RegExp(`^${name}(/|$)`));
}
