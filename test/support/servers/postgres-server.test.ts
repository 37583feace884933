import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import test from 'ava';
import { runOnServer } from '../database.ts';
import { startPostgresServer } from './postgres-server.ts';

test('a stopped server is gone with its folder', async (t) => {
  const server = await startPostgresServer();
  const folder = await readFolder(server.url);
  await server.stop();
  await t.throwsAsync(runOnServer(server.url, 'select 1'), { code: 'ECONNREFUSED' });
  t.false(existsSync(folder));
  await t.notThrowsAsync(server.stop(), 'stopping twice is stopping');
});

test('a server ends with the process that started it, even when that is killed', async (t) => {
  const script = `
    import { startPostgresServer } from ${JSON.stringify(import.meta.resolve('./postgres-server.ts'))};
    const server = await startPostgresServer();
    process.stdout.write(server.url + '\\n');
    setInterval(() => {}, 60_000);
  `;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(owner.stdout), 'line')) as [string];
  const folder = await readFolder(url);
  owner.kill('SIGKILL');
  await waitUntilRemoved(folder);
  await t.throwsAsync(runOnServer(url, 'select 1'), { code: 'ECONNREFUSED' });
});

async function readFolder(url: string): Promise<string> {
  const { rows } = await runOnServer(url, 'show data_directory');
  const [row] = rows as { data_directory: string }[];
  return row?.data_directory.replace(/\/data$/, '') ?? '';
}

async function waitUntilRemoved(folder: string): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (existsSync(folder)) {
    if (performance.now() > deadline) throw new Error(`${folder} still exists`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
