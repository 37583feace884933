import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';

import { createFolder, startSvc } from '../../bin/run-svc.ts';
import { eventually } from '../../support/eventually.ts';
import { startProgram, type Started } from '../../support/processes.ts';
import { freePort } from '../../support/servers/ports.ts';

/* The programs of docs/get-started/first-durable-function.md, in a separate folder. */

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/get-started/first-durable-function.md'), 'utf8');
const run = promisify(execFile);

const folder = createFolder();
test.before(() => {
  mkdirSync(join(folder.path, 'src'));
  for (const [, path = '', text = ''] of PAGE.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)) {
    // A test restarts the process faster than a reader does.
    writeFileSync(join(folder.path, path), text.replace("'10s'", "'3s'"));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }');
});
test.after.always(() => folder.remove());

test('the programs of the page have no type errors', async (t) => {
  const compilerOptions = { noEmit: true, rewriteRelativeImportExtensions: true };
  writeFileSync(
    join(folder.path, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions,
      include: ['src/*.ts'],
    }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder.path]).catch(
    (error: { readonly stdout: string }) => error,
  );
  t.is(stdout, '');
});

test('a worker that is stopped while the function sleeps leaves the rest to the next one', async (t) => {
  const port = await freePort();
  const runtime = startSvc(['dev', '--port', String(port)], { cwd: folder.path });
  t.teardown(() => runtime.stop());
  await runtime.waitFor(/is running at/);
  const start = (path: string) => startOn(t, { path, port });
  const first = await start('src/worker.ts');
  await eventually(async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/workflows/welcome`);
    if (status !== 200) throw new Error('the function is not registered');
  });
  const started = await start('src/start.ts');
  await eventually(() => {
    if (!first.stdout().includes('creating')) throw new Error('no account yet');
  });
  t.is(await first.end('SIGTERM'), 0);
  const second = await start('src/worker.ts');
  t.is(await started.exited, 0);
  t.regex(started.stdout(), /^started exec_[\da-f]{32}\nthe account of Ada is [\da-f]{8}\n$/);
  t.is(first.stdout(), 'creating an account for Ada\n');
  t.is(second.stdout(), 'sending a mail to Ada\n');
});

test('the test of the page passes', async (t) => {
  const test = await startProgram({
    entry: { path: join(folder.path, 'src/welcome.test.ts') },
    args: [],
    env: { NODE_OPTIONS: '--conditions=svc-source' },
  });
  t.is(await test.exited, 0, test.stdout());
  t.regex(test.stdout(), /# pass 1|pass 1/);
});

async function startOn(
  t: ExecutionContext,
  of: { readonly path: string; readonly port: number },
): Promise<Started> {
  const program = await startProgram({
    entry: { path: join(folder.path, of.path) },
    args: [],
    env: {
      NODE_OPTIONS: '--conditions=svc-source',
      SVC_URL: `http://127.0.0.1:${of.port}`,
    },
  });
  t.teardown(() => program.end('SIGKILL'));
  return program;
}
