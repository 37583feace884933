import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { Found } from './render-finders.ts';

/*
 * The findings of a run, so that the next one continues where it was cut off: a line of JSON
 * that names the code, then one for each bug. A line that was being written when the run died counts
 * as absent.
 */

export interface ResumeFile {
  /** By bug. */
  readonly found: ReadonlyMap<string, Found>;
  add(found: Found): Promise<void>;
}

/** Throws if the file is of other code: what it has found says nothing about this. */
export async function openResumeFile(path: string, version: string): Promise<ResumeFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  // Text after the last end of a line is not whole.
  const [head, ...lines] = text.split('\n').slice(0, -1);
  if (head !== undefined && headOf(head) !== version) {
    throw new Error(`${path} is of other code: continue with that code, or choose another file`);
  }
  const whole = [head ?? JSON.stringify({ version }), ...lines];
  await writeFile(path, whole.map((line) => `${line}\n`).join(''));
  return {
    found: new Map(lines.map((line) => JSON.parse(line) as Found).map((each) => [each.bug, each])),
    add: (found) => appendFile(path, `${JSON.stringify(found)}\n`),
  };
}

function headOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { readonly version?: unknown }).version;
  } catch {
    return null;
  }
}

/** A hash over the names and contents of all files in a folder, apart from linked folders. */
export async function versionOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const digest = createHash('sha256');
  for (const path of paths) {
    const content = await readFile(path);
    digest.update(`${relative(folder, path)} ${content.length}\n`).update(content);
  }
  return digest.digest('hex');
}
