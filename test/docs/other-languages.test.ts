import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

import { createFolder, startSvc } from '../bin/run-svc.ts';
import { leaveOut } from '../support/gate/sdk-step.ts';
import { freePort } from '../support/servers/ports.ts';
import { readPage, ROOT } from './support/pages.ts';

/*
 * Does what `docs/guides/other-languages.md` says, against a real runtime: generates the client,
 * compiles it and calls the runtime. A machine without Go, or without a proxy for its modules, leaves it out.
 */

const PAGE = 'docs/guides/other-languages.md';
/** Always the same one, so that Go finds in its cache what it has compiled before. */
const WORK = join(ROOT, 'node_modules/.cache/svc-go');
const GO_MINOR_MIN = 24;

const folder = createFolder();
test.after.always(() => folder.remove());

const whyNot = goIsMissing();
if (whyNot === null) {
  test('the Go client of the page compiles and calls the runtime', async (t) => {
    t.timeout(300_000);
    const [prepare, config, generate, program, start] = readPage(
      PAGE,
      readFileSync(ROOT + PAGE, 'utf8'),
    ).blocks.map(({ text }) => text);
    const url = `http://127.0.0.1:${await freePort()}`;
    const runtime = startSvc(['dev', '--port', new URL(url).port], { cwd: folder.path });
    await runtime.waitFor(/is running at/);
    rmSync(WORK, { recursive: true, force: true });
    mkdirSync(WORK, { recursive: true });

    const prepared = run(prepare, { cwd: WORK, url });
    if (isOffline(prepared.output)) {
      leaveOut('the Go client was NOT tested: Go cannot fetch its modules');
      t.pass();
      return;
    }
    t.is(prepared.status, 0, prepared.output);
    const shop = join(WORK, 'shop');
    writeFileSync(join(shop, 'svc/oapi.yaml'), config ?? '');
    const generated = run(generate, { cwd: shop, url });
    t.is(generated.status, 0, generated.output);
    writeFileSync(join(shop, 'main.go'), program ?? '');
    t.is(run('gofmt -l main.go', { cwd: shop, url }).output, '');
    const { status, output } = run(start, { cwd: shop, url });
    t.is(status, 0, output);
    t.regex(output, /^completed map\[greeting:Hello, Ada\]$/m);
    t.true(readFileSync(ROOT + PAGE, 'utf8').includes('completed map[greeting:Hello, Ada]'));
  });
} else {
  leaveOut(`the Go client was NOT tested: ${whyNot}`);
  test('the page has the commands that other machines run', (t) => {
    t.is(readPage(PAGE, readFileSync(ROOT + PAGE, 'utf8')).blocks.length, 5);
  });
}

function goIsMissing(): string | null {
  const { error, stdout } = spawnSync('go', ['version'], { encoding: 'utf8' });
  if (error !== undefined) return 'there is no go';
  const minor = Number(/go1\.(\d+)/.exec(stdout)?.[1] ?? 0);
  return minor >= GO_MINOR_MIN ? null : `go is older than 1.${GO_MINOR_MIN}`;
}

function isOffline(output: string): boolean {
  return /dial tcp|no such host|proxyconnect|i\/o timeout/.test(output);
}

/** Runs a block of the page with the runtime at its own port. */
function run(
  block: string | undefined,
  { cwd, url }: { readonly cwd: string; readonly url: string },
): { readonly status: number | null; readonly output: string } {
  const script = (block ?? '').replaceAll('http://127.0.0.1:7700', url);
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, SVC_URL: url },
  });
  return { status, output: stdout + stderr };
}
