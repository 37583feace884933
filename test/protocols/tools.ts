import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/*
 * Installs foreign programs from their registries, into a folder that stays between runs and
 * outside this repository.
 */

const INSTALL_MS_MAX = 300_000;
const CACHE = process.env['PROTOCOLS_CACHE_DIR'] ?? join(tmpdir(), 'svc-protocols');

/** Installs one version of an npm package without running its scripts, and returns its folder. */
export async function installNpm(params: {
  readonly name: string;
  readonly version: string;
}): Promise<string> {
  const { name, version } = params;
  const folder = join(CACHE, `npm-${name.replaceAll(/[^a-z0-9]+/gi, '-')}-${version}`);
  await installOnce(folder, async () => {
    await writeFile(join(folder, 'package.json'), '{"private": true}');
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`];
    await mustRun({ command: 'npm', args, cwd: folder, timeoutMs: INSTALL_MS_MAX });
  });
  return join(folder, 'node_modules', name);
}

/** Installs packages, each as `name==version`, and returns the Python of their environment. */
export async function installPython(params: {
  readonly name: string;
  readonly packages: readonly string[];
}): Promise<string> {
  const folder = join(CACHE, `python-${params.name}`);
  const python = join(folder, 'bin', 'python');
  await installOnce(folder, async () => {
    const { packages } = params;
    const timeoutMs = INSTALL_MS_MAX;
    await mustRun({ command: 'python3', args: ['-m', 'venv', folder], timeoutMs });
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
    await mustRun({ command: python, args, timeoutMs });
  });
  return python;
}

/** Installs again if an earlier installation was not completed. */
async function installOnce(folder: string, install: () => Promise<void>): Promise<void> {
  const done = join(folder, '.installed');
  if (existsSync(done)) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await install();
  await writeFile(done, '');
}

export interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Runs a program to its end. After the timeout it kills the program and throws. */
export async function runTool(
  tool: ToolRun,
): Promise<{ readonly code: number; readonly output: string }> {
  const { command, args, cwd, env, timeoutMs } = tool;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'close');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended as Promise<[number | null]>,
  ]);
  const output = `${stdout}${stderr}`;
  if (code === null) throw new Error(`${command} took longer than ${timeoutMs} ms:\n${output}`);
  return { code, output };
}

async function mustRun(tool: ToolRun): Promise<void> {
  const { code, output } = await runTool(tool);
  if (code !== 0) throw new Error(`${tool.command} ${tool.args.join(' ')} failed:\n${output}`);
}
