import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import test from 'ava';

import { createFolder, runSvc, type Outcome } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

const GOOD = {
  workflow_id: 'order',
  version: '2',
  nodes: { start: { kind: { type: 'python_fn', module: 'shop', function: 'reserve' } } },
  edges: [],
};

const BAD_YAML = `workflow_id: order
nodes:
  start:
    kind: { type: python_fn, module: shop }
  other:
    kind: { type: bogus }
edges:
  - { from: start, to: nowhere }
`;

async function validate(name: string, text: string, ...options: string[]): Promise<Outcome> {
  await writeFile(join(folder.path, name), text);
  return runSvc(['validate', name, ...options], { cwd: folder.path });
}

for (const [name, text] of [
  ['deep.json', '['.repeat(50_000) + ']'.repeat(50_000)],
  ['deep.yaml', '['.repeat(50_000)],
] as const) {
  test(`${name}, nested deeper than any stack, is explained in words`, async (t) => {
    const { code, stdout, stderr } = await validate(name, text);
    t.not(code, 0);
    t.regex(stdout + stderr, /ir must be an object|nested too deeply/);
    t.notRegex(stderr, /unexpected|RangeError/);
  });
}

test('text of a file moves no cursor', async (t) => {
  const kind = '\u001b[31mred\u009b2J';
  const nodes = { '\u001b[2J\u0007': { kind } };
  const { code, stdout, stderr } = await validate('esc.json', JSON.stringify({ nodes }));
  t.is(code, 1);
  t.regex(stdout, /\\u001b\[2J\\u0007/);
  t.notRegex(stdout + stderr, /[\p{Cc}--\n]/v);
});

test('0: a JSON file that can run', async (t) => {
  t.deepEqual(await validate('good.json', JSON.stringify(GOOD)), {
    code: 0,
    stdout: 'good.json is valid: order 2\n',
    stderr: '',
  });
});

test('0: a YAML file that can run', async (t) => {
  const text = 'workflow_id: order\nnodes:\n  start: { kind: pass }\nedges: []\n';
  const { code, stdout } = await validate('good.yaml', text);
  t.is(code, 0);
  t.is(stdout, 'good.yaml is valid: order 1.0.0\n');
});

test('0: the whole body of a registration, from stdin', async (t) => {
  const { code, stdout } = await runSvc(['validate', '-'], {
    cwd: folder.path,
    input: JSON.stringify({ ir: GOOD }),
  });
  t.is(code, 0);
  t.is(stdout, 'stdin is valid: order 2\n');
});

test('0: warnings are printed and do not fail', async (t) => {
  const { code, stdout } = await validate(
    'island.yaml',
    'workflow_id: w\nstart_node: a\nnodes:\n  a: { kind: pass }\n  island: { kind: pass }\n',
  );
  t.is(code, 0, stdout);
  t.regex(stdout, /^island\.yaml:5: warning: \/nodes\/island/m);
});

const SLIP = `workflow_id: w
nodes:
  a:
    kind: python_fn
    module: m
    function: f
    retry_polcy: no_retry
`;

test('0: a slip of a name is a warning with its line', async (t) => {
  const { code, stdout } = await validate('slip.yaml', SLIP);
  t.is(code, 0);
  t.is(
    stdout,
    'slip.yaml:7: warning: /nodes/a/retry_polcy: unknown field "retry_polcy" is ignored: did you mean "retry_policy"?\n' +
      'slip.yaml is valid: w 1.0.0\n',
  );
});

test('1: a member that is refused is not told as ignored as well', async (t) => {
  const ir = { ...GOOD, batch: { max: 3, wait: '1s', maxx: 2 } };
  const { code, stdout } = await validate('refused.json', JSON.stringify(ir));
  t.is(code, 1);
  t.is(stdout, 'refused.json:1: error: /batch/maxx: is not known: did you mean "max"?\n');
});

test('1: --strict takes warnings for errors', async (t) => {
  const { code, stdout, stderr } = await validate('strict.yaml', SLIP, '--strict');
  t.is(code, 1);
  t.regex(stdout, /^strict\.yaml:7: error: \/nodes\/a\/retry_polcy: /);
  t.is(stderr, 'error: strict.yaml is refused by --strict: 1 problem\n');
  const json = await validate('strict2.yaml', SLIP, '--strict', '-o', 'json');
  t.is(json.code, 1);
  t.like(JSON.parse(json.stdout), {
    valid: false,
    problems: [],
    warnings: [{ code: 'unknown_field', pointer: '/nodes/a/retry_polcy', line: 7 }],
  });
});

test('1: every problem with its line and its JSON pointer', async (t) => {
  const { code, stdout, stderr } = await validate('bad.yaml', BAD_YAML);
  t.is(code, 1);
  const places = stdout.split('\n').map((line) => line.split(': ').slice(0, 3).join(' '));
  t.deepEqual(places.slice(0, 3), [
    'bad.yaml:4 error /nodes/start/kind/function',
    'bad.yaml:6 error /nodes/other/kind/type',
    'bad.yaml:8 error /edges/0/to',
  ]);
  t.is(stderr, 'error: bad.yaml cannot run: 3 problems\n');
});

test('1: -o json prints the problems as one document', async (t) => {
  const { code, stdout } = await validate('bad2.yaml', BAD_YAML, '-o', 'json');
  t.is(code, 1);
  const report = JSON.parse(stdout) as { valid: boolean; problems: { pointer: string }[] };
  t.false(report.valid);
  t.is(report.problems.length, 3);
  t.is(report.problems[0]?.pointer, '/nodes/start/kind/function');
});

test('1: a pointer inside a wrapped definition still finds its line', async (t) => {
  const text =
    '{\n "ir": {\n  "workflow_id": "w",\n  "nodes": {\n   "a": {"kind": "x"}\n  }\n }\n}';
  const { code, stdout } = await validate('wrapped.json', text);
  t.is(code, 1);
  t.regex(stdout, /^wrapped\.json:5: error: \/nodes\/a/);
});

test('1: a document that is no object', async (t) => {
  const { code, stdout } = await validate('list.json', '[]');
  t.is(code, 1);
  t.regex(stdout, /must be an object/);
});

test('2: a file that is not JSON is shown with line and column', async (t) => {
  const { code, stderr } = await validate('broken.json', '{"a": 1,\n "b" 2}');
  t.is(code, 2);
  t.is(
    stderr,
    "error: broken.json is not JSON at line 2, column 6: Expected ':' after property name\n",
  );
});

test('2: a file that breaks off', async (t) => {
  const { code, stderr } = await validate('cut.json', '{"a": [1,\n');
  t.is(code, 2);
  t.regex(stderr, /cut\.json is not JSON at line 2, column 1/);
});

test('2: a file that is not YAML is shown with line and column', async (t) => {
  const { code, stderr } = await validate('broken.yaml', 'a: 1\nb: "open\n');
  t.is(code, 2);
  t.regex(stderr, /^error: broken\.yaml is not YAML at line \d, column \d+: .+\n$/);
});

test('2: a number that JSON cannot hold', async (t) => {
  const { code, stderr } = await validate('infinite.yaml', 'workflow_id: w\nlimit: .inf\n');
  t.is(code, 2);
  t.is(
    stderr,
    'error: infinite.yaml cannot be read: the value of limit is Infinity, which JSON cannot hold\n',
  );
});

test('2: a document in another encoding is refused, not changed', async (t) => {
  await writeFile(
    join(folder.path, 'latin.json'),
    Buffer.from('{"workflow_id":"caf\xe9"}', 'latin1'),
  );
  const { code, stderr } = await runSvc(['validate', 'latin.json'], { cwd: folder.path });
  t.is(code, 2);
  t.is(stderr, 'error: "latin.json" is not UTF-8: save it in this encoding\n');
});

test('0: a byte order mark is no part of the document', async (t) => {
  t.is((await validate('marked.json', `\ufeff${JSON.stringify(GOOD)}`)).code, 0);
});

test('1: an empty document', async (t) => {
  t.is((await validate('empty.yaml', '')).code, 1);
});

test('2: a key that a YAML file repeats', async (t) => {
  const { code, stderr } = await validate('twice.yaml', 'workflow_id: a\nworkflow_id: b\n');
  t.is(code, 2);
  t.regex(stderr, /line 2, column 1: .*unique/);
});

test('2: a missing file', async (t) => {
  const { code, stderr } = await runSvc(['validate', 'none.json'], { cwd: folder.path });
  t.is(code, 2);
  t.is(stderr, 'error: "none.json" does not exist\n');
});

test('2: a directory', async (t) => {
  await mkdir(join(folder.path, 'directory'));
  const { code, stderr } = await runSvc(['validate', 'directory'], { cwd: folder.path });
  t.is(code, 2);
  t.is(stderr, 'error: "directory" is a directory: name a file in it\n');
});
