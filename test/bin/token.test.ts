import { existsSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';

import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { Dialect } from '../support/database.ts';
import { openTestStore } from '../support/stores.ts';
import { createFolder, runSvc, type Outcome } from './run-svc.ts';

const ACME = 'acme' as TenantId;
const folder = createFolder();
test.after.always(() => folder.remove());

interface Token {
  readonly token_id: string;
  readonly name: string;
  readonly role: string;
  readonly tenant_id: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: a token is made, listed and revoked`, async (t) => {
    const { store, url, close } = await openTestStore(dialect);
    t.teardown(close);
    const svc = (...args: string[]): Promise<Outcome> =>
      runSvc(['token', ...args, '--database-url', url], { cwd: folder.path });

    const made = await svc('create', '--name', 'ci', '--role', 'developer', '--expires', '30d');
    t.is(made.code, 0, made.stderr);
    t.regex(made.stdout, /^svc_[\w-]{43}\n$/);
    t.regex(made.stderr, /developer of tenant default, valid until \d{4}-/);

    const ofAcme = ['--name', 'x', '--role', 'viewer', '--tenant', 'acme', '-o', 'json'];
    const refused = await svc('create', ...ofAcme);
    t.is(refused.code, 4);
    t.is(refused.stdout, '');
    t.regex(
      refused.stderr,
      /^error: tenant acme does not exist: .* tenant default makes it with POST \/tenants/m,
    );
    await store.tenants.create({ tenantId: ACME, name: 'Acme', actorId: 'token:test' });
    const asJson = await svc('create', ...ofAcme);
    const token = JSON.parse(asJson.stdout) as Token & { readonly token: string };
    t.like(token, { name: 'x', role: 'viewer', tenant_id: 'acme', expires_at: null });

    const listed = await svc('list', '-o', 'json');
    t.notRegex(listed.stdout, /svc_/);
    const { tokens } = JSON.parse(listed.stdout) as { tokens: readonly Token[] };
    t.deepEqual(
      tokens.map(({ name }) => name),
      ['ci'],
    );
    const ci = tokens[0]?.token_id ?? '';
    t.regex((await svc('list')).stdout, new RegExp(`^${ci} +ci +developer +active `, 'm'));

    const revoked = await svc('revoke', ci);
    t.is(revoked.code, 0);
    t.is(revoked.stdout, `revoked ${ci} (ci)\n`);
    t.regex((await svc('list')).stdout, /developer +revoked/);

    const turned = await svc('create', '--name', 'turn', '--role', 'viewer', '-o', 'json');
    const old = JSON.parse(turned.stdout) as Token;
    const rotated = await svc('rotate', old.token_id, '--grace', '1h');
    t.is(rotated.code, 0, rotated.stderr);
    t.regex(rotated.stdout, /^svc_[\w-]{43}\n$/);
    t.regex(rotated.stderr, new RegExp(`replaces ${old.token_id}, which ends \\d{4}-`));
    const again = await svc('rotate', old.token_id);
    t.is(again.code, 1);
    t.regex(
      again.stderr,
      /^database: .*\nerror: conflict: token .* rotated already; create a new one/,
    );
    t.is((await svc('rotate', 'unknown')).code, 4);

    const elsewhere = await svc('revoke', token.token_id);
    t.is(elsewhere.code, 4);
    t.regex(
      elsewhere.stderr,
      /^database: .*\nerror: tenant default has no token .*: see "node .*svc\.js token list/,
    );
  });
}

const WRONG = [
  { title: 'no role', args: ['create', '--name', 'x'] },
  { title: 'an unknown role', args: ['create', '--name', 'x', '--role', 'king'] },
  { title: 'a name with a line end', args: ['create', '--name', 'a\nb', '--role', 'viewer'] },
  { title: 'a tenant that is no tenant id', args: ['list', '--tenant', 'Acme!'] },
  {
    title: 'an expiry of no time',
    args: ['create', '--name', 'x', '--role', 'viewer', '--expires', '0d'],
  },
];

for (const { title, args } of WRONG) {
  test(`2: ${title}`, async (t) => {
    const { code, stdout, stderr } = await runSvc(['token', ...args], { cwd: folder.path });
    t.is(code, 2, stderr);
    t.is(stdout, '');
  });
}

test('1: commands that only read do not migrate the database', async (t) => {
  const path = join(folder.path, 'unmigrated.db');
  const svc = (...args: string[]) =>
    runSvc([...args, '--database-url', `sqlite:${path}`], { cwd: folder.path });
  const reads = [
    ['token', 'list'],
    ['audit', 'verify'],
    ['audit', 'export'],
    ['retention', 'list'],
    ['retention', 'preview'],
    ['retention', 'run', '--dry-run'],
  ];
  for (const args of reads) {
    const { code, stdout, stderr } = await svc(...args);
    t.is(code, 1, args.join(' '));
    t.is(stdout, '');
    t.regex(stderr, /error: .* version 0, .* needs version \d+: run ".*svc\.js db migrate"/);
    t.false(existsSync(path));
  }
  t.is((await svc('db', 'migrate')).code, 0);
  for (const args of reads) t.is((await svc(...args)).code, 0, args.join(' '));
});

test('1: the names of built-in identities are refused', async (t) => {
  const args = ['token', 'create', '--name', 'api-key', '--role', 'viewer'];
  const { code, stderr } = await runSvc(args, { cwd: folder.path });
  t.is(code, 1);
  t.regex(stderr, /reserved/);
});
