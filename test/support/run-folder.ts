import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { eventually } from './eventually.ts';

/** The variable with the folder of the test run, which the run removes at its end. */
export const RUN_FOLDER = 'TEST_RUN_FOLDER';

const FILLED = 'filled';

/**
 * Fills a folder once for all test files of a run, and answers its path: the first file fills it, and
 * the others wait for that. A file that runs without `npm test` fills one of its own.
 */
export async function fillOnce(params: {
  readonly name: string;
  readonly fill: (folder: string) => Promise<void>;
  readonly withinMs: number;
}): Promise<string> {
  const { name, fill, withinMs } = params;
  const run = process.env[RUN_FOLDER];
  if (run === undefined) return fillOwn(name, fill);
  const folder = join(run, name);
  const outcome = `${folder}.outcome`;
  if (await creates(folder)) {
    // Written elsewhere and moved, so that nobody reads half of it.
    const note = async (text: string) => {
      await writeFile(`${outcome}.new`, text);
      await rename(`${outcome}.new`, outcome);
    };
    try {
      await fill(folder);
    } catch (error) {
      await note(String(error));
      throw error;
    }
    await note(FILLED);
    return folder;
  }
  const text = await eventually(() => readFile(outcome, 'utf8'), { withinMs });
  if (text !== FILLED) throw new Error(`another test file could not make ${name}: ${text}`);
  return folder;
}

async function fillOwn(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `svc-test-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await fill(folder);
  return folder;
}

/** False: another process has created it. */
async function creates(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
