import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';

import { createFolder, runSvc } from './run-svc.ts';

/* Contexts, against an address that answers as a runtime does and tells which token came. */

const folder = createFolder();
const cwd = folder.path;
const file = join(cwd, 'svc', 'profiles.json');
test.after.always(() => folder.remove());

const svc = (
  args: readonly string[],
  more: { input?: string; env?: Record<string, string> } = {},
) => runSvc(args, { cwd, input: more.input ?? '', env: { XDG_CONFIG_HOME: cwd, ...more.env } });

async function listen(): Promise<{ url: string; close: () => void; seen: () => string }> {
  let seen = '';
  const server = createServer((request, response) => {
    seen = request.headers.authorization ?? 'none';
    const isKnown = seen === 'Bearer good';
    const body = {
      role: 'operator',
      name: 'ann',
      authenticated: true,
      workers: [],
      error: 'invalid token',
    };
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close(), seen: () => seen };
}

test.serial(
  'login keeps a checked token where only its owner reads it, and commands use it',
  async (t) => {
    const [prod, other] = [await listen(), await listen()];
    t.teardown(() => {
      prod.close();
      other.close();
    });
    const wrong = await svc(['login', 'prod', '--url', prod.url, '--token-stdin'], {
      input: 'bad\n',
    });
    t.is(wrong.code, 3);
    t.regex(
      wrong.stderr,
      /^error: http:\S+ does not accept this token, so nothing is kept: pipe a valid one with --token-stdin, .*token create --name NAME --role ROLE\n$/,
    );
    const without = await svc(['login', 'prod', '--url', prod.url]);
    t.is(without.code, 3);
    t.regex(without.stderr, /error: http:\S+ asks for a token, so nothing is kept: /);
    t.is((await svc(['context', 'list', '-o', 'json'])).stdout, '{\n  "contexts": []\n}\n');

    const login = ['login', 'prod', '--url', prod.url, '--token-stdin'];
    t.regex(
      (await svc(login, { input: 'good\n' })).stdout,
      /as ann \(operator\); context prod is in use/,
    );
    t.is(statSync(file).mode & 0o777, 0o600);
    t.is(JSON.parse(readFileSync(file, 'utf8')).current, 'prod');
    t.is((await svc(['worker', 'list'])).code, 0);
    t.is(prod.seen(), 'Bearer good');

    // Another address never gets the token of this one.
    t.is((await svc(['worker', 'list', '--url', other.url])).code, 3);
    t.is(other.seen(), 'none');
    t.is((await svc(['worker', 'list', '--token', 'bad'])).code, 3);
    const listed = await svc(['context', 'list']);
    t.regex(listed.stdout, /prod +http\S+ +yes +yes/);
    t.false((await svc(['context', 'show', '-o', 'json'])).stdout.includes('good'));

    chmodSync(file, 0o644);
    await svc(['login', 'second', '--url', prod.url, '--token-stdin'], { input: 'good' });
    t.is(statSync(file).mode & 0o777, 0o600);
    t.is((await svc(['context', 'use', 'prod'])).code, 0);
    t.is((await svc(['context', 'remove', 'prod'])).code, 0);
    const left = await svc(['context', 'show', '-o', 'json'], {});
    t.is(left.code, 4);
    t.is((await svc(['worker', 'list'], { env: { SVC_CONTEXT: 'second' } })).code, 0);
  },
);

test.serial('a context that does not exist, and a broken file, say what to do', async (t) => {
  const unknown = await svc(['context', 'use', 'nowhere']);
  t.is(unknown.code, 4);
  t.regex(
    unknown.stderr,
    /there is no context "nowhere": see .* context list, or add one with .* login/,
  );
  const chosen = await svc(['worker', 'list'], { env: { SVC_CONTEXT: 'nowhere' } });
  t.is(chosen.code, 2);
  writeFileSync(file, '{');
  const broken = await svc(['worker', 'list']);
  t.is(broken.code, 2);
  t.regex(broken.stderr, /is no file of profiles: mend it, or remove it and run .* login/);
});

test.serial('a broken file holds up no command that has its address', async (t) => {
  const runtime = await listen();
  t.teardown(runtime.close);
  writeFileSync(file, '{');
  const env = { SVC_URL: runtime.url, SVC_TOKEN: 'good' };
  const given = await svc(['worker', 'list'], { env });
  t.is(given.code, 0, given.stderr);
  t.false(given.stderr.includes('profiles'));
  const missed = await svc(['worker', 'list'], { env: { SVC_URL: runtime.url } });
  t.is(runtime.seen(), 'none');
  t.regex(missed.stderr, /no token is read: .* is no file of profiles: mend it/);
});
