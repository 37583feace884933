import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { isStartedByNpm } from '../../bin/boot/end-with-npm.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder } from './run-svc.ts';

const SVC = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
const folder = createFolder();
test.after.always(() => folder.remove());

for (const [how, svc] of [
  ['', SVC],
  [' on an older Node', writeOldLauncher()],
] as const) {
  test(`kill of npx ends the server that it started${how}, which first stops cleanly`, async (t) => {
    t.timeout(120_000);
    const cwd = join(folder.path, how === '' ? 'project' : 'old');
    mkdirSync(join(cwd, 'node_modules', '.bin'), { recursive: true });
    writeFileSync(join(cwd, 'package.json'), '{"name":"project","private":true}');
    symlinkSync(svc, join(cwd, 'node_modules', '.bin', 'svc'));
    const port = await freePort();
    const npx = spawn('npx', ['--no-install', 'svc', 'dev', '--port', String(port)], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        HOME: folder.path,
        npm_config_cache: join(folder.path, 'npm'),
        npm_config_update_notifier: 'false',
        SVC_LOGGING_FORMAT: 'json',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that a server that is left over ends with the test.
      detached: true,
    });
    let output = '';
    for (const stream of [npx.stdout, npx.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
    }
    t.teardown(() => endGroup(npx.pid));
    const closed = once(npx, 'close');
    await eventually(() => {
      if (!output.includes('is running at')) throw new Error(output);
    });
    // The server inherits the streams: they close when it has ended too.
    npx.kill('SIGTERM');
    await closed;
    // A shell that npm replaces by svc passes nothing on, because svc gets the signal itself.
    t.regex(output, /"signal":"(?:the end of npm|SIGTERM)".*"stopping"/);
    t.regex(output, /"msg":"stopped"/);
    await t.throwsAsync(fetch(`http://127.0.0.1:${port}/ready`));
  });
}

/** It runs svc in another process, because no Node is new enough for it. */
function writeOldLauncher(): string {
  const file = join(folder.path, 'old-svc.mjs');
  const at = (path: string) => JSON.stringify(new URL(`../../bin/${path}`, import.meta.url).href);
  writeFileSync(
    file,
    `#!/usr/bin/env node
import { launch } from ${at('launch/launch.js')};
launch({ source: new URL(${at('svc.ts')}), built: new URL(${at('no-such-file.js')}), minimum: [999, 0] });
`,
    { mode: 0o755 },
  );
  return file;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const scripts: readonly (readonly [string | undefined, boolean])[] = [
  ["'svc'", true],
  ['svc', true],
  ['svc dev --run "node worker.ts"', true],
  ['node_modules/.bin/svc-api --port 7701', true],
  ['svc dev &', false],
  ['svc dev & node test.js', false],
  ['node start.js', false],
  ['node svc', false],
  ['', false],
  [undefined, false],
];

for (const [script, isOwn] of scripts) {
  const does = isOwn ? 'ends with' : 'does not depend on';
  test(`svc ${does} the shell of this script: ${script ?? 'none'}`, (t) => {
    t.is(isStartedByNpm({ npm_lifecycle_script: script }), isOwn);
  });
}
