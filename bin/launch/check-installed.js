/*
 * Exit code 0: node_modules holds what package-lock.json says. 1: it does not, and the reason is
 * printed. npm writes its own record, node_modules/.package-lock.json, when an installation is
 * complete, so one that was broken off counts as none. Read by old Nodes too.
 */
import { readFileSync } from 'node:fs';

const reason = findReason();
if (reason !== null) {
  console.log(reason);
  process.exitCode = 1;
}

/** @returns {string | null} */
function findReason() {
  const installed = readPackages('node_modules/.package-lock.json');
  if (installed === null) return 'there are none yet';
  for (const [path, wanted] of Object.entries(readPackages('package-lock.json') ?? {})) {
    const found = installed[path];
    // What is optional may have been left out because it is for another platform.
    const isMissing = found === undefined && path !== '' && wanted.optional !== true;
    if (isMissing || (found !== undefined && found.version !== wanted.version)) {
      return `${path.replace(/^.*node_modules\//, '')} is not the one in the lock file`;
    }
  }
  return null;
}

/**
 * @param {string} file
 * @returns {Record<string, {version?: string, optional?: boolean}> | null}
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
