import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const JAVA_MIN = 21;
const USUAL = '/usr/lib/jvm';

/** The folder of a JDK: JAVA_HOME, else the newest of the usual folder; null: there is none. */
export function findJdk(): string | null {
  const home = process.env['JAVA_HOME'];
  if (home !== undefined && versionOf(home) >= JAVA_MIN) return home;
  const all = existsSync(USUAL) ? readdirSync(USUAL).map((name) => join(USUAL, name)) : [];
  const newest = all.toSorted((one, other) => versionOf(other) - versionOf(one))[0];
  return newest !== undefined && versionOf(newest) >= JAVA_MIN ? newest : null;
}

/** 0: the folder has no compiler. */
function versionOf(home: string): number {
  const asked = spawnSync(join(home, 'bin/javac'), ['-version'], { encoding: 'utf8' });
  return Number(/javac (\d+)/.exec(asked.stdout ?? '')?.[1] ?? 0);
}
