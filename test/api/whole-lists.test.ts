import anyTest, { type TestFn } from 'ava';

import type { TenantId } from '../../src/shared/domain/ids.ts';
import { openWholeList } from '../../src/api/whole-list.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import { textOf } from './support/call-api.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const COUNT = 1_203;
const test = anyTest as TestFn<Record<(typeof DIALECTS)[number], TestApi>>;

const LISTS = [
  ['agents', 'id'],
  ['tenants', 'id'],
  ['tokens', 'token_id'],
] as const;

for (const dialect of DIALECTS) {
  test.before(`open (${dialect})`, async (t) => {
    const api = await startTestApi({ dialect });
    t.context[dialect] = api;
    const { store } = api.database;
    for (let at = 0; at < COUNT; at += 1) {
      const name = `n${at}`;
      await store.tenants.create({ tenantId: name as TenantId, name, actorId: 'token:t' });
      await api.mint({ role: 'viewer' });
    }
    const ids = Array.from({ length: COUNT }, (_, at) => `a${at}`);
    for (const id of ids) {
      const { status } = await api.call({ path: '/agents', body: { id, name: id } });
      if (status !== 201) throw new Error(`agent ${id}: ${status}`);
    }
  });
  test.after.always(`close (${dialect})`, (t) => t.context[dialect].close());

  for (const [name, key] of LISTS) {
    const read = async (api: TestApi, query: string) => {
      const { status, body } = await api.call({ path: `/${name}${query}` });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      const rows = body[name] as readonly JsonObject[];
      return { body, ids: rows.map((row) => textOf({ body: row }, key)) };
    };

    test(`200: without a limit ${name} are all there (${dialect})`, async (t) => {
      const api = t.context[dialect];
      const whole = await read(api, '');
      t.true(whole.ids.length >= COUNT);
      t.is(new Set(whole.ids).size, whole.ids.length);
      t.like(whole.body, { total: whole.ids.length, next_cursor: null });
    });

    test(`200: with a limit pages of ${name} say how many there are, and lead on (${dialect})`, async (t) => {
      const api = t.context[dialect];
      const whole = await read(api, '');
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await read(api, `?limit=401${cursor === '' ? '' : `&cursor=${cursor}`}`);
        t.is(page.body['total'], whole.ids.length);
        seen.push(...page.ids);
        cursor = typeof page.body['next_cursor'] === 'string' ? page.body['next_cursor'] : '';
      } while (cursor !== '');
      t.deepEqual(seen, whole.ids);
      const last = seen.slice(0, -3).length;
      t.like((await read(api, `?limit=3&offset=${last}`)).body, { next_cursor: null });
      t.deepEqual((await read(api, '?limit=2&offset=3')).ids, whole.ids.slice(3, 5));
    });
  }
}

test('400: a cursor of another list, or of nobody', async (t) => {
  const { sqlite: api } = t.context;
  for (const [name] of LISTS) {
    for (const cursor of ['x', 'e30', Buffer.from('["a","b"]').toString('base64url'), '%00']) {
      const answer = await api.call({ path: `/${name}?limit=2&cursor=${cursor}` });
      t.is(answer.status, 400, `${name} ${cursor}`);
    }
  }
});

test('200: a filter holds for the whole list and for the count of a page', async (t) => {
  const { sqlite: api } = t.context;
  await api.call({ method: 'POST', path: '/agents/a7/activate' });
  const whole = await api.call({ path: '/agents?status=active' });
  t.like(whole.body, { total: 1, next_cursor: null });
  const page = await api.call({ path: '/agents?status=active&limit=10' });
  t.deepEqual(page.body, whole.body);
  const none = await api.call({ path: '/agents?status=paused' });
  t.deepEqual(none.body, { agents: [], total: 0, next_cursor: null });
});

test('200: operators of other tenants see only their own', async (t) => {
  const { sqlite: api } = t.context;
  const token = await api.mint({ role: 'operator', tenant: 'n5' });
  const { body } = await api.call({ path: '/tenants', token });
  t.like(body, { total: 1, next_cursor: null });
});

test('a missing part cuts the list off, so that no half counts as the whole', async (t) => {
  const rows = Array.from({ length: 500 }, (_, id) => ({ id }));
  const pieces = await openWholeList<{ readonly id: number }>('rows', {
    read: async (after) => {
      if (after !== null) throw new Error('away');
      return rows;
    },
    shape: (row) => row,
  });
  await t.throwsAsync(
    async () => {
      for await (const _ of pieces);
    },
    { message: 'away' },
  );
  await t.throwsAsync(
    openWholeList('rows', { read: () => Promise.reject(new Error('away')), shape: () => ({}) }),
    { message: 'away' },
  );
});
