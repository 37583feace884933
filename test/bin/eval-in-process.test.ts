import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { serveJson, startHttpServer } from '../support/servers/http-server.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc, startSvc } from './run-svc.ts';

/* Compares `svc eval run` without a runtime with a run against one. */

const folder = createFolder();
const cwd = folder.path;
test.after.always(() => folder.remove());

const SHIPPING = fileURLToPath(new URL('../../examples/eval/shipping.yaml', import.meta.url));
const CHECK = ['--check', 'output.doubled == expected'];

const write = (name: string, value: unknown) =>
  writeFileSync(join(cwd, name), typeof value === 'string' ? value : JSON.stringify(value));

write('double.json', {
  workflow_id: 'double',
  state_schema: { properties: { n: { type: 'number' } }, required: ['n'] },
  nodes: { double: { kind: { type: 'pass', output: { doubled: { expr: 'state.n * 2' } } } } },
});
write('python.json', {
  workflow_id: 'python',
  nodes: {
    each: {
      kind: {
        type: 'map',
        items: [1],
        node: { kind: { type: 'python_fn', module: 'm', function: 'f' } },
      },
    },
  },
});
write('rows.jsonl', '{"input":{"n":2},"expected":4}\n{"input":{"n":3},"expected":7}\n');

test.serial('the same output, report and exit code as on a runtime', async (t) => {
  const port = await freePort();
  const dev = startSvc(['dev', '--port', String(port)], { cwd });
  await dev.waitFor(/is running at/);
  for (const [args, code] of [
    [[SHIPPING], 0],
    [['rows.jsonl', '--workflow', 'double.json', ...CHECK], 1],
    [['rows.jsonl', '--workflow', 'double.json', ...CHECK, '--threshold', '0.5'], 0],
    [['rows.jsonl', '--workflow', 'rows.jsonl', ...CHECK], 4],
  ] as const) {
    const [own, remote] = await Promise.all([
      runSvc(['eval', 'run', ...args], { cwd }),
      runSvc(['eval', 'run', ...args, '--url', `http://127.0.0.1:${port}`], { cwd }),
    ]);
    if (code === 4) {
      t.is(own.code, 2);
      t.regex(
        own.stderr,
        /is the id of a registered one: name its file, or its runtime with --url\n$/,
      );
      continue;
    }
    t.is(own.code, code, own.stderr);
    t.is(remote.code, code, remote.stderr);
    t.is(withoutTimes(own.stdout), withoutTimes(remote.stdout));
    t.is(own.stderr, remote.stderr);
    const json = await runSvc(['eval', 'run', ...args, '--json'], { cwd });
    t.like(JSON.parse(json.stdout), { complete: true, passed: code === 0 });
  }
  await dev.stop();
});

test.serial(
  'nothing is left behind, and none of the environment is taken for a runtime',
  async (t) => {
    const own = createFolder();
    const { code, stderr } = await runSvc(['eval', 'run', SHIPPING], {
      cwd: own.path,
      env: { SVC_PORT: '1', SVC_AUTH_METHOD: 'mtls', SVC_DATABASE_URL: 'postgres://127.0.0.1:1/x' },
    });
    t.is(code, 0, stderr);
    t.deepEqual(readdirSync(own.path), []);
    await own.remove();
  },
);

test.serial('2: nodes that need a worker are named before the first case', async (t) => {
  const { code, stdout, stderr } = await runSvc(
    ['eval', 'run', 'rows.jsonl', '--workflow', 'python.json', ...CHECK],
    { cwd },
  );
  t.is(code, 2);
  t.is(stdout, '');
  t.regex(stderr, /^error: node \S*each\S* need.* a worker, .*--url .*\n$/);
});

test.serial('tools are called as under svc dev, private addresses included', async (t) => {
  const shop = await startHttpServer(serveJson({ '/': { doubled: 4 } }));
  t.teardown(() => shop.close());
  write('tool.json', {
    workflow_id: 'tool',
    tools: {
      double: {
        kind: 'http',
        method: 'POST',
        reference: shop.url,
        response_mapping: { doubled: '$output.body.doubled' },
      },
    },
    nodes: { ask: { kind: { type: 'tool', tool_ref: 'double' }, output_key: 'made' } },
  });
  const { code, stdout, stderr } = await runSvc(
    ['eval', 'run', 'rows.jsonl', '--workflow', 'tool.json', '--check', 'state.made.doubled == 4'],
    { cwd },
  );
  t.is(code, 0, stderr + stdout);
});

/** Milliseconds and ids differ from run to run. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d+ ms/g, 'N ms').replaceAll(/exec_[0-9a-f]+/g, 'exec_N');
}
