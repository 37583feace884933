import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs `npm install` in the folder, with its output shown; false: it failed. */
export async function install(folder: string): Promise<boolean> {
  const child = spawn('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
    // npm is a batch file on Windows.
    shell: process.platform === 'win32',
  });
  child.once('error', () => undefined);
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}
