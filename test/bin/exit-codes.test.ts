import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import test from 'ava';

import { freePort } from '../support/servers/ports.ts';
import { runProgram, runSvc } from './run-svc.ts';

const cwd = process.cwd();

const USAGE = [
  { title: 'no command', args: [] },
  { title: 'an unknown command', args: ['exection', 'list'] },
  { title: 'an unknown option', args: ['version', '--frobnicate'] },
  { title: 'a missing argument', args: ['execution', 'show'] },
  { title: 'an argument too many', args: ['version', 'now'] },
  { title: 'an unknown output format', args: ['execution', 'list', '-o', 'xml'] },
  { title: 'a report without a suffix', args: ['eval', 'run', 'rows.csv', '--output', 'report'] },
  { title: 'an unknown status', args: ['execution', 'list', '--status', 'done'] },
  { title: 'a count that is no number', args: ['execution', 'list', '--limit', 'ten'] },
  { title: 'a port that is no port', args: ['serve', '--port', '99999'] },
  { title: 'an unknown role', args: ['serve', '--role', 'both'] },
  {
    title: 'an expiry without a unit',
    args: ['token', 'create', '--name', 'x', '--role', 'viewer', '--expires', '30'],
  },
  { title: 'an address that is no URL', args: ['execution', 'list', '--url', 'localhost'] },
  { title: 'a token with a line end', args: ['execution', 'list', '--token', 'a\nb'] },
  { title: 'an input that is not an object', args: ['execution', 'start', 'w', '--input', '[1]'] },
] as const;

for (const { title, args } of USAGE) {
  test(`2: ${title}`, async (t) => {
    const { code, stdout, stderr } = await runSvc(args, { cwd });
    t.is(code, 2, stderr);
    t.is(stdout, '');
    t.not(stderr, '');
  });
}

test('2: an input that is not JSON is shown with line and column', async (t) => {
  const { code, stderr } = await runSvc(
    ['execution', 'start', 'w', '--input', '{"a": 1,\n "b": nope}'],
    { cwd },
  );
  t.is(code, 2);
  t.is(stderr, "error: --input is not JSON at line 2, column 8: Unexpected token 'o'\n");
});

test('0: help of every level', async (t) => {
  for (const args of [['--help'], ['execution', '--help'], ['execution', 'start', '--help']]) {
    const { code, stdout, stderr } = await runSvc(args, { cwd });
    t.is(code, 0);
    t.regex(stdout, /^Usage: svc/);
    t.is(stderr, '');
  }
});

test('--json says the same as --output json', async (t) => {
  for (const command of [['version'], ['config', 'show'], ['auth', 'matrix']]) {
    const [short, long] = await Promise.all([
      runSvc([...command, '--json'], { cwd }),
      runSvc([...command, '--output', 'json'], { cwd }),
    ]);
    t.is(short.code, 0, short.stderr);
    t.deepEqual(JSON.parse(short.stdout), JSON.parse(long.stdout));
  }
});

test('1: with no runtime there, the error says how to start one there', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { code, stdout, stderr } = await runSvc(['execution', 'list', '--url', url], { cwd });
  t.is(code, 1);
  t.is(stdout, '');
  t.true(
    stderr.startsWith(
      `error: connection refused: no runtime listens at ${url}; correct --url, SVC_URL or the context, `,
    ),
    stderr,
  );
  t.regex(stderr, new RegExp(`: node \\S*/svc\\.js dev --port ${port}\\n$`));
});

test('1: where TLS is asked for, the error does not say to start a runtime, which speaks none', async (t) => {
  const url = `https://localhost:${await freePort()}`;
  const { code, stderr } = await runSvc(['execution', 'list', '--url', url], { cwd });
  t.is(code, 1);
  t.regex(stderr, /^error: connection refused: .*, or see why it is not running there\n$/);
});

test('1: something that is not the runtime', async (t) => {
  const { url, close } = await listen({ status: 200, body: '<html>' });
  t.teardown(close);
  const { code, stderr } = await runSvc(['execution', 'list'], { cwd, env: { SVC_URL: url } });
  t.is(code, 1);
  t.regex(stderr, /is not an svc runtime: it gave an answer that is not JSON/);
});

const ANSWERS = [
  { status: 400, code: 1, error: 'bad request: input must be an object' },
  { status: 401, code: 3, error: 'invalid or expired token' },
  { status: 403, code: 1, error: 'insufficient role — developer or operator required' },
  { status: 404, code: 4, error: 'not found: execution exec_1' },
  { status: 500, code: 1, error: 'internal error: broken' },
];

for (const { status, code, error } of ANSWERS) {
  test(`${code}: the runtime answers ${status}`, async (t) => {
    const { url, close } = await listen({ status, body: JSON.stringify({ error }) });
    t.teardown(close);
    const outcome = await runSvc(['execution', 'show', 'exec_1', '-o', 'json', '--url', url], {
      cwd,
    });
    t.is(outcome.code, code);
    t.is(outcome.stdout, '');
    t.true(outcome.stderr.startsWith(`error: ${error}`), outcome.stderr);
    t.is(outcome.stderr.trim().split('\n').length, 1);
  });
}

test('1: the hint of a refusal goes before the general advice', async (t) => {
  const body = {
    error: 'insufficient role — developer or operator required',
    hint: 'set auth.reviewers_may_approve = true to let the role reviewer decide approvals',
  };
  const { url, close } = await listen({ status: 403, body: JSON.stringify(body) });
  t.teardown(close);
  const { code, stderr } = await runSvc(['execution', 'approve', 'exec_1', '--url', url], { cwd });
  t.is(code, 1);
  t.true(stderr.startsWith(`error: ${body.error}: ${body.hint}, or give a token of such a role`));
});

const MISSING = [
  ['execution exec_1', /; list them with: \S.* execution list\n$/],
  ['workflow orders version 2', /; list them with: \S.* workflow list\n$/],
  ['node pay of execution exec_1', /; list them with: \S.* execution list\n$/],
  ['artifact 00ff', /00ff\n$/],
] as const;

for (const [what, advice] of MISSING) {
  test(`4: ${what} is missing, and the next step is named where there is one`, async (t) => {
    const error = `not found: ${what}`;
    const { url, close } = await listen({ status: 404, body: JSON.stringify({ error }) });
    t.teardown(close);
    const { code, stderr } = await runSvc(['execution', 'show', 'exec_1', '--url', url], { cwd });
    t.is(code, 4);
    t.true(stderr.startsWith(`error: ${error}`), stderr);
    t.regex(stderr, advice);
  });
}

/** Simulates a runtime, or another service on its port, that always gives the same answer. */
async function listen(answer: {
  status: number;
  body: string;
}): Promise<{ url: string; close: () => void }> {
  const server = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

test('1: a full disk under the output', async (t) => {
  const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
  const shell = ['-c', '"$0" "$1" execution list --help > /dev/full', process.execPath, svc];
  const { code, stderr } = await runProgram('sh', shell, { cwd });
  t.is(code, 1);
  t.regex(stderr, /^error: the output cannot be written: ENOSPC[^\n]+\n$/);
});
