import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../deploy/package/build-console.ts', import.meta.url));

/** Builds the console unless its build is one of the sources as they are now. */
export async function buildOnce(): Promise<void> {
  const child = spawn(process.execPath, [SCRIPT, '--if-outdated'], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the build of the console ended with ${code}`);
}
