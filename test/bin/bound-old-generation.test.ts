import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';

const MODULE = new URL('../../bin/boot/bound-old-generation.ts', import.meta.url).href;

/** The tag differs with each option that changes how V8 compiles or collects. */
const TELL_CHANGE = `
import { cachedDataVersionTag } from 'node:v8';
import { boundOldGeneration } from '${MODULE}';
const before = cachedDataVersionTag();
boundOldGeneration();
console.log(cachedDataVersionTag() === before ? 'same' : 'changed');
`;

test('V8 gets the option, unless one of its name was given', async (t) => {
  const run = async (options: readonly string[]) => {
    const args = [...options, '--input-type=module', '-e', TELL_CHANGE];
    return (await promisify(execFile)(process.execPath, args)).stdout.trim();
  };
  t.is(await run([]), 'changed');
  t.is(await run(['--heap_growing_percent=50']), 'same');
});

const KEEP = `
import { enableCompileCache } from 'node:module';
enableCompileCache(process.argv[1]);
const { boundOldGeneration } = await import('${MODULE}');
boundOldGeneration();
console.log('bounded');
setInterval(() => {}, 60_000);
`;

test('a killed process has kept what its start compiled', async (t) => {
  t.true((await countKept([])) > 0);
  t.is(await countKept(['--heap-growing-percent=75']), 0);
});

/** Files in the cache of a process that was killed. */
async function countKept(options: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-compiled-'));
  try {
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const args = [...options, '--input-type=module', '-e', KEEP, folder];
    const child = spawn(process.execPath, args, { env });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ).length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
