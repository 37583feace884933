/*
 * Tells whether a build is one of the sources as they are now. The build keeps a line for each file
 * that it depends on, with its path, its size and the time of its last change; the launcher compares
 * the lines of today. The time is `ctime`: the system sets it with each change of a file, and no tool
 * sets it back, as `touch` and `cp -p` do with `mtime`. A copy of the tree has other times, so a copied
 * build counts as outdated: the sources run, which is always right.
 *
 * Read by old Nodes too, see launch.js. Compares texts, because loading Node's hashes takes longer.
 */
import { createRequire } from 'module';

// Not imported, see launch.js.
const { existsSync, lstatSync, readFileSync, readdirSync } = createRequire(import.meta.url)('fs');

/** In the folder of the build. */
export const STAMP_FILE = 'built-from.txt';

const FOLDERS = ['bin', 'deploy/package', 'migrations', 'src'];
const FILES = [
  'docs/worker-cases.json',
  'node_modules/.package-lock.json',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];

/** The console shares the table of operations and parts of the domain. */
const CONSOLE_FOLDERS = [
  'console/public',
  'console/src',
  'sdk/typescript/src/client',
  'src/shared/domain',
];
const CONSOLE_FILES = [
  'console/index.html',
  'console/package.json',
  'console/vite.config.ts',
  'deploy/package/build-console.ts',
  'package-lock.json',
];

/**
 * @param {string} root of the clone
 * @returns {string}
 */
export function readStamp(root) {
  return describe(root, FOLDERS, FILES);
}

/**
 * The same for the build of the console.
 *
 * @param {string} root of the clone
 * @returns {string}
 */
export function readConsoleStamp(root) {
  return describe(root, CONSOLE_FOLDERS, CONSOLE_FILES);
}

/**
 * @param {string} root of the clone
 * @param {string} folder of the build
 * @returns {boolean}
 */
export function isBuiltFrom(root, folder) {
  return hasStamp(folder, readStamp(root));
}

/**
 * @param {string} root of the clone
 * @returns {boolean}
 */
export function isConsoleBuilt(root) {
  return hasStamp(root + '/console/dist', readConsoleStamp(root));
}

function hasStamp(folder, stamp) {
  const file = folder + '/' + STAMP_FILE;
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

function describe(root, folders, files) {
  const lines = [];
  for (const folder of folders) addFolder(lines, root + '/', folder);
  // An installation that was not npm's has no record of npm's.
  for (const file of files) if (existsSync(root + '/' + file)) addFile(lines, root + '/', file);
  return lines.join('\n') + '\n';
}

function addFolder(lines, root, folder) {
  for (const entry of readdirSync(root + folder, { withFileTypes: true }).sort(byName)) {
    const path = folder + '/' + entry.name;
    if (entry.isDirectory()) addFolder(lines, root, path);
    else addFile(lines, root, path);
  }
}

function byName(one, other) {
  return one.name < other.name ? -1 : 1;
}

function addFile(lines, root, path) {
  const stats = lstatSync(root + path);
  lines.push(path + ' ' + stats.size + ' ' + stats.ctimeMs);
}
