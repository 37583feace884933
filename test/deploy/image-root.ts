import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { Started } from '../support/processes.ts';

/*
 * The root of the container image, built by the Dockerfile's script, only from the files that
 * `.dockerignore` admits. Commands run in it as the image's user, who may write only to
 * var/lib/svc, and with the Dockerfile's environment.
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
export const DOCKERFILE = readFileSync(join(REPOSITORY, 'deploy/Dockerfile'), 'utf8');

export interface ImageRoot {
  readonly path: string;
  /** Starts a command in the working directory, like a container. */
  start(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<Started>;
  /** Runs a command and returns its output; rejects unless the exit code is 0. */
  run(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  remove(): void;
}

export async function buildImageRoot(): Promise<ImageRoot> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-image-'));
  // The image's user must be able to enter the folder.
  chmodSync(folder, 0o755);
  const [source, path] = [join(folder, 'src'), join(folder, 'root')];
  for (const entry of sentToTheBuild()) {
    mkdirSync(dirname(join(source, entry)), { recursive: true });
    cpSync(join(REPOSITORY, entry), join(source, entry), { recursive: true });
  }
  await run(join(source, scriptOfTheDockerfile()), [path]);
  rmSync(source, { recursive: true });
  const cwd = join(path, 'var/lib/svc');
  // Only root can run commands as another user. Otherwise the files become read-only for their
  // owner.
  const user = process.getuid?.() === 0 ? userOfTheDockerfile() : null;
  if (user !== null) chownSync(cwd, user.uid, user.gid);
  else await run('chmod', ['-R', 'a-w', path]).then(() => chmodSync(cwd, 0o755));
  const imageEnv = environmentOf(path);
  const start: ImageRoot['start'] = (command, env = {}) =>
    startAs({ command, cwd, env: { ...imageEnv, ...env }, user: user ?? {} });
  return {
    path,
    start,
    async run(command, env) {
      const started = await start(command, env);
      const code = await started.exited;
      if (code === 0) return started.stdout();
      throw new Error(`${command.join(' ')} ended with ${code}:\n${started.stderr()}`);
    },
    remove() {
      spawnSync('chmod', ['-R', 'u+w', path]);
      rmSync(folder, { recursive: true });
    },
  };
}

async function startAs(params: {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: { readonly uid?: number; readonly gid?: number };
}): Promise<Started> {
  const { command, cwd, env, user } = params;
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const exited = once(child, 'close').then((ended) => {
    const [code, signal] = ended as [number, null] | [null, NodeJS.Signals];
    return code ?? signal;
  });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    exited,
    end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

function collect(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  return () => text;
}

/** The entries of `.dockerignore`, which excludes everything and then includes these. */
export function sentToTheBuild(): readonly string[] {
  const lines = readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}

/** The variables of `ENV`, with paths inside the root. */
function environmentOf(root: string): Record<string, string> {
  const [text = ''] = /^ENV PATH(?:.*\\\n)*.*$/m.exec(DOCKERFILE) ?? [];
  const pairs = [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const env = Object.fromEntries(pairs) as Record<string, string>;
  return {
    ...env,
    PATH: (env['PATH'] ?? '').replace('/usr/local/bin', join(root, 'usr/local/bin')),
    HOME: join(root, env['HOME'] ?? ''),
    // The image does not promise a place for temporary files.
    TMPDIR: join(root, 'none'),
  };
}

function userOfTheDockerfile(): { readonly uid: number; readonly gid: number } {
  const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(DOCKERFILE) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

function scriptOfTheDockerfile(): string {
  const [, script] = /^ {4}(\S+\.sh) \/image$/m.exec(DOCKERFILE) ?? [];
  if (script === undefined) throw new Error('the Dockerfile runs no script into /image');
  return script;
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${stdout()}${stderr()}`);
}
