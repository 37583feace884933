import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';

import { readPage, ROOT } from '../../docs/support/pages.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startRuntime } from '../../support/runtime.ts';

const PAGE = 'docs/reference/sdk-client.md';

test('the blocks of the page are one program, which fits its types and runs', async (t) => {
  t.timeout(120_000);
  const { blocks } = readPage(PAGE, await readFile(join(ROOT, PAGE), 'utf8'));
  const code = blocks.filter(({ language }) => language === 'ts').map((block) => block.text);
  t.is(code.length, 7);
  const folder = await openProject(t, code.join('\n'));
  const checked = await run(t, [join(ROOT, 'node_modules/.bin/tsc'), '--project', folder]);
  t.deepEqual(checked, { code: 0, output: '' });

  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const runtime = await startRuntime({ databaseUrl: database.url });
  t.teardown(async () => void (await runtime.end('SIGTERM')));
  const ran = await run(t, [process.execPath, '--conditions=svc-source', join(folder, 'page.ts')], {
    SVC_URL: runtime.url,
    SVC_TOKEN: runtime.apiKey,
  });
  t.is(ran.code, 0, ran.output);
  for (const line of [
    /^exec_[0-9a-f]{32} \{ name: 'Ada', text: 'Hello, Ada' \}$/m,
    /^Hello, Ada$/m,
    /^1 WorkflowStarted$/m,
    /^\d+ WorkflowCompleted\ncompleted$/m,
    /^not found: execution exec_0+$/m,
    /^closing$/m,
  ]) {
    t.regex(ran.output, line);
  }
});

/** A folder with the program that resolves the packages of the repository. */
async function openProject(t: ExecutionContext, code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sdk-page-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'page.ts'), code);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const config = { extends: join(ROOT, 'tsconfig.json'), include: ['page.ts'], exclude: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return folder;
}

async function run(
  t: ExecutionContext,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env } });
  t.teardown(() => void child.kill('SIGKILL'));
  const [output, trouble, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { code, output: output + trouble };
}
