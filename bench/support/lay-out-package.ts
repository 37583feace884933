import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Package extends Disposable {
  /** The file that `npx svc` would run. */
  readonly svc: string;
}

/** Builds the program, which the processes of this checkout then run, as those of a package do. */
export function buildProgram(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
}

/** Builds the program and lays it out as an installed package: without its sources. */
export function layOutPackage(): Package {
  buildProgram();
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-package-'));
  for (const path of ['bin', 'dist', 'package.json']) {
    cpSync(join(ROOT, path), join(folder, path), {
      recursive: true,
      filter: (source) => path !== 'bin' || !source.endsWith('.ts'),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    svc: join(folder, 'bin/svc.js'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
