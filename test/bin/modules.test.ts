import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import test from 'ava';

import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc, startSvc, type Outcome } from './run-svc.ts';

/* Definitions from programs: modules in TypeScript and JavaScript. */

const folder = createFolder();
const cwd = folder.path;
test.after.always(() => folder.remove());
test.before(() => writeFile(join(cwd, 'package.json'), '{"type": "module"}'));

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = 'examples/typescript/order.ts';
/** Tests the sources of the package. */
const FROM_SOURCES = { NODE_OPTIONS: '--conditions=svc-source' };

const ONE = `export default { toIR: () => ({ workflow_id: 'one', nodes: { a: { kind: 'pass' } } }) };`;
const TWO = `
const make = (workflow_id: string) => ({ toIR: () => ({ workflow_id, nodes: {} }) });
export const first = make('first');
export const second = make('second');
export default first;
export const limit = 3;
`;

async function run(name: string, text: string, ...args: string[]): Promise<Outcome> {
  await writeFile(join(cwd, name), text);
  return runSvc([...args, name], { cwd });
}

test('0: a workflow that a program builds is valid', async (t) => {
  const env = FROM_SOURCES;
  t.deepEqual(await runSvc(['validate', '--strict', EXAMPLE], { cwd: REPOSITORY, env }), {
    code: 0,
    stdout: `${EXAMPLE} is valid: order 1.0.0\n`,
    stderr: '',
  });
});

test('0: the default export of TypeScript and JavaScript', async (t) => {
  t.deepEqual(await run('one.ts', ONE, 'validate'), {
    code: 0,
    stdout: 'one.ts is valid: one 1.0.0\n',
    stderr: '',
  });
  t.is((await run('one.mjs', ONE, 'validate')).stdout, 'one.mjs is valid: one 1.0.0\n');
});

test('0: every workflow that a module exports, each once', async (t) => {
  const { code, stdout } = await run('two.ts', TWO, 'validate');
  t.is(stdout, 'two.ts (first) is valid: first 1.0.0\ntwo.ts (second) is valid: second 1.0.0\n');
  t.is(code, 0);
  const json = await run('three.ts', TWO, 'validate', '-o', 'json');
  t.like(JSON.parse(json.stdout), {
    valid: true,
    workflows: [{ workflow_id: 'first' }, { workflow_id: 'second', problems: [] }],
  });
});

test('1: a problem is reported with the name of the workflow, and without a line', async (t) => {
  const text = TWO.replace("make('second')", `{ toIR: () => ({ workflow_id: 's', nodes: 3 }) }`);
  const { code, stdout, stderr } = await run('bad.ts', text, 'validate');
  t.is(code, 1);
  t.regex(stdout, /^bad\.ts \(s\): error: \/nodes: /m);
  t.is(stderr, 'error: bad.ts (s) cannot run: 1 problem\n');
});

const REFUSED: Readonly<Record<string, { readonly text: string; readonly says: RegExp }>> = {
  'syntax.ts': { text: 'export const a: = 3;', says: /syntax\.ts:1: syntax error: Unexpected/ },
  'syntax.js': { text: 'export const a = ;', says: /"syntax\.js": syntax error: .*node --check/ },
  'enum.ts': { text: 'export enum A { b }', says: /enum\.ts:1: .*enum.*that can be erased/ },
  'package.ts': {
    text: `import 'svc-not-there';`,
    says: /needs the package svc-not-there, .*: run npm install svc-not-there in its project/,
  },
  'file.ts': { text: `import './not-there.ts';`, says: /Cannot find module '.*not-there\.ts'/ },
  'name.ts': { text: `import { x } from 'node:fs';`, says: /name\.ts:1: .*export named 'x'/ },
  'throws.ts': {
    text: `throw new TypeError('the name is not unique');`,
    says: /"throws\.ts" failed: TypeError: the name is not unique \(.*throws\.ts:1\)/,
  },
  'empty.ts': { text: '', says: /"empty\.ts" exports no workflow, but nothing: export what build/ },
  'other.ts': { text: 'export const a = 3;', says: /exports no workflow, but a: / },
  'unbuilt.ts': {
    text: 'export default { build: () => ({}) };',
    says: /exports default before it is built: end it with \.build\(\)/,
  },
  'twice.ts': {
    text: TWO.replace("'second'", "'first'"),
    says: /exports two workflows first 1\.0\.0: change the id or the version/,
  },
};

for (const [name, { text, says }] of Object.entries(REFUSED)) {
  test(`2: ${name} is refused in one line that says what to do`, async (t) => {
    const { code, stdout, stderr } = await run(name, text, 'validate');
    t.is(code, 2);
    t.is(stdout, '');
    t.regex(stderr, says);
    t.regex(stderr, /^error: [^\n]+\n$/);
  });
}

test('2: a module that does not exist', async (t) => {
  const { code, stderr } = await runSvc(['validate', 'nowhere.ts'], { cwd });
  t.is(code, 2);
  t.is(stderr, 'error: "nowhere.ts" does not exist\n');
});

test('workflow register: every workflow of a module, and the same again', async (t) => {
  const port = String(await freePort());
  const dev = startSvc(['dev', '--port', port], { cwd });
  await dev.waitFor(/is running at/);
  const env = { SVC_URL: `http://127.0.0.1:${port}` };
  const register = (...args: string[]) => runSvc(['workflow', 'register', ...args], { cwd, env });
  await writeFile(join(cwd, 'both.ts'), TWO);
  const registered = 'registered first 1.0.0, revision 1\nregistered second 1.0.0, revision 1\n';
  t.deepEqual(await register('both.ts'), { code: 0, stdout: registered, stderr: '' });
  t.is((await register('both.ts')).stdout, registered);
  const json = await register('both.ts', '-o', 'json');
  t.like(JSON.parse(json.stdout), {
    workflows: [{ workflow_id: 'first', revision: 1 }, { workflow_id: 'second' }],
  });
  t.is((await dev.stop()).code, 0);
});
