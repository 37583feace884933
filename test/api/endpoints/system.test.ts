import anyTest, { type TestFn } from 'ava';

import { HIDDEN_SECRETS } from '../support/system-facts.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const test = anyTest as TestFn<Record<(typeof DIALECTS)[number], TestApi>>;

interface Setting {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
  readonly secret: boolean;
}

for (const dialect of DIALECTS) {
  test.before(`start (${dialect})`, async (t) => {
    t.context[dialect] = await startTestApi({ dialect });
  });
  test.after.always(`close (${dialect})`, (t) => t.context[dialect].close());

  test(`${dialect}: 200: the processes that run, and their database`, async (t) => {
    const api = t.context[dialect];
    await api.database.store.workers.announce([
      {
        workerId: 'host:1',
        tenantId: null,
        kind: 'runtime',
        role: 'scheduler',
        queueTypes: ['engine'],
        version: '9.9.9',
        host: 'host',
      },
    ]);
    const { status, body, error } = await api.call({ path: '/system' });
    t.is(status, 200, error);
    t.is(body['version'], '1.2.3');
    const [process] = body['processes'] as readonly object[];
    t.like(process, { process_id: 'host:1', role: 'scheduler', version: '9.9.9', host: 'host' });
    const database = body['store'] as Record<string, unknown>;
    t.is(database['kind'], dialect);
    t.deepEqual(database['pending_migrations'], []);
    t.is(database['migration'], database['known_migration']);
    t.true(Number(database['bytes']) > 10_000);
    t.deepEqual(body['shards'], dialect === 'sqlite' ? null : { total: 64, held: 0 });
  });

  test(`${dialect}: 200: the doctor names what is wrong, and what to do`, async (t) => {
    const { status, body, error } = await t.context[dialect].call({ path: '/system/doctor' });
    t.is(status, 200, error);
    const checks = body['checks'] as readonly { name: string; verdict: string; advice: string }[];
    const of = (name: string) => checks.find((check) => check.name === name);
    t.is(of('database')?.verdict, 'ok');
    t.is(of('migrations')?.verdict, 'ok');
    t.like(body, { stuck_executions: [], stuck_executions_total: 0 });
    t.is(body['ok'], !checks.some(({ verdict }) => verdict === 'fail'));
    t.is(of('integrity') === undefined, dialect === 'postgres');
    t.regex(of('audit chain')?.advice ?? '', /svc audit verify/);
  });
}

test('200: settings tell where they come from, and never a secret', async (t) => {
  const { status, body, error } = await t.context.sqlite.call({ path: '/settings' });
  t.is(status, 200, error);
  const text = JSON.stringify(body);
  for (const secret of HIDDEN_SECRETS) t.false(text.includes(secret));
  const settings = body['settings'] as unknown as readonly Setting[];
  const of = (key: string) => settings.find((setting) => setting.key === key);
  t.like(of('runtime.port'), { value: '7710', origin: 'flag --port', secret: false });
  t.like(of('auth.api_key'), { value: '***', origin: 'env SVC_AUTH_API_KEY', secret: true });
  t.is(of('database.url')?.value, 'postgres://svc:***@db.example/svc');
  t.is(of('models.allowed_base_urls')?.value, 'https://user:***@models.example');
  t.like(of('runtime.bind'), { origin: 'default' });
});

test('400: a number of executions that makes no sense', async (t) => {
  for (const limit of ['0', 'x', '-1']) {
    const path = `/system/doctor?limit=${limit}`;
    t.is((await t.context.sqlite.call({ path })).status, 400, limit);
  }
});

test('403: neither other roles nor operators of other tenants see the installation', async (t) => {
  const api = t.context.sqlite;
  for (const path of ['/system', '/system/doctor', '/settings']) {
    for (const role of ['viewer', 'reviewer', 'developer', 'worker'] as const) {
      t.is((await api.call({ path, token: await api.mint({ role }) })).status, 403, role);
    }
    const token = await api.mint({ role: 'operator', tenant: 'other' });
    const answer = await api.call({ path, token });
    t.is(answer.status, 403, path);
    t.regex(answer.error, /operator of tenant default/);
  }
});
