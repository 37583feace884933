import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const VERSION_MIN = 21;
const INSTALLED = '/usr/lib/jvm';

/** The home of a Java that runs the companion, or why there is none. */
export function findJava(): { readonly home: string } | { readonly missing: string } {
  const homes = [process.env['JAVA_HOME'] ?? '', ...installedHomes()];
  const home = homes.find((candidate) => versionOf(candidate) >= VERSION_MIN);
  return home === undefined ? { missing: `there is no Java ${VERSION_MIN} or newer` } : { home };
}

function installedHomes(): readonly string[] {
  if (!existsSync(INSTALLED)) return [];
  return readdirSync(INSTALLED).map((name) => join(INSTALLED, name));
}

/** 0: there is no compiler. */
function versionOf(home: string): number {
  const compiler = join(home, 'bin/javac');
  if (home === '' || !existsSync(compiler)) return 0;
  const { stdout } = spawnSync(compiler, ['-version'], { encoding: 'utf8' });
  return Number(/^javac (\d+)/.exec(stdout)?.[1] ?? 0);
}
