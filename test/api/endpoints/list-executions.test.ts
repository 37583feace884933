import anyTest, { type TestFn } from 'ava';

import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing, startWorkflow, waiting } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi; ids: string[] }>;

interface Row {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly status: string;
  readonly created_at: string;
}

test.before(async (t) => {
  const api = await startTestApi();
  t.context.api = api;
  const ids = [];
  for (let count = 0; count < 5; count++) {
    ids.push(await startWorkflow(api, { ir: count % 2 === 0 ? passing('done') : waiting('open') }));
  }
  t.context.ids = ids.toReversed();
});

test.after.always((t) => t.context.api.close());

async function list(api: TestApi, query: string): Promise<readonly Row[]> {
  const answer = await api.call({ path: `/executions${query}` });
  if (answer.status !== 200) throw new Error(answer.error);
  return answer.body['executions'] as unknown as Row[];
}

const idsOf = (rows: readonly Row[]) => rows.map((row) => row.execution_id);

test('200: newest first, with the contract’s fields', async (t) => {
  const { api, ids } = t.context;
  const rows = await list(api, '');
  t.deepEqual(idsOf(rows), ids);
  t.like(rows[0], { workflow_id: 'done', status: 'completed' });
  t.is(typeof (rows[0] as unknown as { completed_at: string }).completed_at, 'string');
});

test('200: limit and offset cut a page', async (t) => {
  const { api, ids } = t.context;
  t.deepEqual(idsOf(await list(api, '?limit=2&offset=1')), ids.slice(1, 3));
  t.deepEqual(await list(api, '?offset=100'), []);
});

test('200: a limit above 500 is taken for 500', async (t) => {
  const { api, ids } = t.context;
  for (const limit of ['501', '100000', '99999999999999999999999']) {
    t.deepEqual(idsOf(await list(api, `?limit=${limit}`)), ids);
  }
});

test('200: a cursor reads on, to the end', async (t) => {
  const { api, ids } = t.context;
  const seen: string[] = [];
  let query = '?limit=2';
  for (;;) {
    const { body } = await api.call({ path: `/executions${query}` });
    seen.push(...idsOf(body['executions'] as unknown as Row[]));
    if (body['next_cursor'] === null) break;
    query = `?limit=2&cursor=${textOf({ body }, 'next_cursor')}`;
  }
  t.deepEqual(seen, ids);
});

test('200: a full page that is the last one has no cursor', async (t) => {
  const { api, ids } = t.context;
  for (const [query, isLast] of [
    [`limit=${ids.length}`, true],
    [`limit=${ids.length - 1}`, false],
    ['status=paused&limit=2', true],
    ['status=paused&limit=1', false],
  ] as const) {
    const { body } = await api.call({ path: `/executions?${query}` });
    t.is(body['next_cursor'] === null, isLast, query);
  }
});

test('200: filters narrow the list', async (t) => {
  const { api, ids } = t.context;
  t.is((await list(api, '?status=paused')).length, 2);
  t.is((await list(api, '?status=completed&workflow_id=done')).length, 3);
  t.deepEqual(await list(api, '?status=failed'), []);
  t.deepEqual(await list(api, '?workflow_id=unknown'), []);
  const third = (await list(api, ''))[2];
  const instant = encodeURIComponent(third?.created_at ?? '');
  t.deepEqual(idsOf(await list(api, `?created_before=${instant}`)), ids.slice(3));
  t.deepEqual(idsOf(await list(api, `?created_after=${instant}`)), ids.slice(0, 3));
  t.is((await list(api, '?created_after=2020-01-01')).length, 5);
  t.is((await list(api, '?created_before=2020-01-01T00:00:00%2B02:00')).length, 0);
});

test('200: unknown parameters are ignored', async (t) => {
  const { api, ids } = t.context;
  t.deepEqual(idsOf(await list(api, '?colour=red&colour=blue&&=x')), ids);
});

for (const query of [
  'limit=0',
  'limit=-1',
  'limit=1.5',
  'limit=ten',
  'limit=',
  'limit=1e2',
  'limit=0x10',
  'limit=%201',
  'offset=-1',
  'offset=x',
  'offset=99999999999999999999',
  'status=unknown',
  'status=Running',
  'status=',
  'created_after=yesterday',
  'created_after=2026-13-01',
  'created_after=2026-02-30',
  'created_after=2025-02-29',
  'created_after=0000-01-01',
  'created_after=9999-12-31T23:59-10:00',
  'created_after=2026-01-01T24:00Z',
  'created_after=',
  'created_after=2026-11-21T10:00:00',
  'created_before=1',
  'cursor=x',
  'cursor=',
]) {
  test(`400: ${query}`, async (t) => {
    const answer = await t.context.api.call({ path: `/executions?${query}` });
    t.is(answer.status, 400);
    t.regex(answer.error, new RegExp(`^bad request: ${query.split('=')[0]} must be`));
  });
}
