import { readFileSync } from 'node:fs';

import test from 'ava';

import { runSvc } from './run-svc.ts';

const cwd = process.cwd();
const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

test('version: prints the version of the package alone', async (t) => {
  t.deepEqual(await runSvc(['version'], { cwd }), {
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

test('version: -o json prints one document', async (t) => {
  const { stdout } = await runSvc(['version', '-o', 'json'], { cwd });
  t.is((JSON.parse(stdout) as { version: string }).version, version);
});

for (const program of ['svc', 'svc-api', 'svc-scheduler'] as const) {
  test(`${program} --version: prints the version`, async (t) => {
    const { code, stdout } = await runSvc(['--version'], { cwd, program });
    t.deepEqual({ code, stdout }, { code: 0, stdout: `${version}\n` });
  });
}
