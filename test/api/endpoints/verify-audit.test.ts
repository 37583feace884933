import anyTest, { type TestFn } from 'ava';

import { makeDefinitionId, makeExecutionId } from '../../shared/store/contract/make.ts';
import { makeExport } from '../../support/imports.ts';
import { tamperWith } from '../../support/stores.ts';
import { textOf } from '../support/call-api.ts';
import { sealAudit } from '../support/seal-audit.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const test = anyTest as TestFn<Record<(typeof DIALECTS)[number], TestApi>>;
const path = '/audit/verify';

for (const dialect of DIALECTS) {
  test.before(`start (${dialect})`, async (t) => {
    t.context[dialect] = await startTestApi({ dialect });
  });
  test.after.always(`close (${dialect})`, (t) => t.context[dialect].close());

  test.serial(`${dialect}: 200: sealed items are verified, with imports`, async (t) => {
    const api = t.context[dialect];
    const token = await api.mint({ role: 'operator', tenant: 'sealed' });
    const imported = await api.call({
      path: '/executions/import',
      body: makeExport({
        executionId: makeExecutionId(),
        definitionId: makeDefinitionId(),
      }),
      token,
    });
    t.is(imported.status, 201, imported.error);
    await sealAudit(t, api.database);
    const verified = await api.call({ path, token });
    t.is(verified.status, 200, verified.error);
    t.like(verified.body, { ok: true, imported_executions: 1, problems: [], next_cursor: null });
    t.true(Number(verified.body['items']) >= 2);
    const head = textOf(verified, 'head');
    t.like((await api.call({ path: `${path}?head=${head}`, token })).body, { ok: true });
    const other = `${head.split(':')[0]}:${'0'.repeat(64)}`;
    t.like((await api.call({ path: `${path}?head=${other}`, token })).body, {
      ok: false,
      problems: [{ what: 'window_changed' }],
    });
  });

  test.serial(`${dialect}: 200: an item that was changed is named`, async (t) => {
    const api = t.context[dialect];
    const token = await api.mint({ role: 'operator', tenant: 'tampered' });
    await sealAudit(t, api.database);
    await tamperWith(
      api.database.url,
      'audit_log',
      `update audit_log set actor_id = 'token:nobody' where tenant_id = 'tampered'`,
    );
    const verified = await api.call({ path, token });
    t.like(verified.body, { ok: false, next_cursor: null });
    const [problem] = verified.body['problems'] as readonly object[];
    t.like(problem, { what: 'row_changed', tenant_id: 'tampered', seal: 1 });
  });
}

test('400: a head or a cursor that no answer has contained', async (t) => {
  const api = t.context.sqlite;
  const write = (columns: unknown): string =>
    Buffer.from(JSON.stringify(columns)).toString('base64url');
  for (const query of [
    'head=1',
    `head=1:${'g'.repeat(64)}`,
    'cursor=x',
    `cursor=${write(['executions', 'x'])}`,
    `cursor=${write(['definitions', "'"])}`,
    `cursor=${write(['windows', 2 ** 31, '2020-01-01T00:00:00.000Z', '0'.repeat(64)])}`,
  ]) {
    t.is((await api.call({ path: `${path}?${query}` })).status, 400, query);
  }
});

test('403: readers and developers do not verify', async (t) => {
  const api = t.context.sqlite;
  for (const role of ['viewer', 'reviewer', 'developer', 'worker'] as const) {
    t.is((await api.call({ path, token: await api.mint({ role }) })).status, 403, role);
  }
});
