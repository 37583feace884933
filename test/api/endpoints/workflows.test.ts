import anyTest, { type TestFn } from 'ava';

import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

test('201: a workflow is registered', async (t) => {
  const answer = await t.context.api.call({ path: '/workflows', body: { ir: passing('first') } });
  t.is(answer.status, 201);
  t.is(answer.body['workflow_id'], 'first');
  t.is(answer.body['version'], '1');
  t.is(answer.body['revision'], 1);
});

test('201: the same again is the same revision, another under its name is the next', async (t) => {
  const { api } = t.context;
  const ir = passing('again');
  const revisions = [];
  for (const body of [{ ir }, { ir }, { ir: { ...ir, description: 'changed' } }]) {
    revisions.push((await api.call({ path: '/workflows', body })).body['revision']);
  }
  t.deepEqual(revisions, [1, 1, 2]);
});

test('400: an IR without workflow_id, and a body without IR', async (t) => {
  const { api } = t.context;
  const { workflow_id: _, ...nameless } = passing('nameless');
  const unnamed = await api.call({ path: '/workflows', body: { ir: nameless } });
  t.is(unnamed.status, 400);
  t.regex(unnamed.error, /^bad request: .*ir\.workflow_id/);
  for (const ir of [undefined, null, [], 'ir', 1]) {
    const answer = await api.call({ path: '/workflows', body: { ir } });
    t.is(answer.status, 400);
    t.regex(answer.error, /^bad request: ir (is required|must be an object)$/);
  }
});

test('400: a schema that is none is refused with its place', async (t) => {
  const { api } = t.context;
  const kind = { type: 'python_fn', module: 'm', function: 'f', output_schema: { type: 'text' } };
  const ir = {
    workflow_id: 'no-schema',
    state_schema: { required: 'name' },
    nodes: { a: { kind } },
    edges: [],
  };
  const answer = await api.call({ path: '/workflows', body: { ir } });
  t.is(answer.status, 400);
  const problems = answer.body['problems'] as { pointer: string }[];
  t.deepEqual(
    [...new Set(problems.map(({ pointer }) => pointer))],
    ['/state_schema', '/nodes/a/kind/output_schema'],
  );
});

test('200: a workflow is read, the version registered last by default', async (t) => {
  const { api } = t.context;
  for (const version of ['1', '2']) {
    await api.call({ path: '/workflows', body: { ir: { ...passing('read/me'), version } } });
  }
  const latest = await api.call({ path: '/workflows/read%2Fme' });
  t.is(latest.status, 200);
  t.is(latest.body['version'], '2');
  t.is((latest.body['ir'] as { workflow_id: string }).workflow_id, 'read/me');
  const first = await api.call({ path: '/workflows/read%2Fme?version=1' });
  t.is(first.body['version'], '1');
});

test('404: an unknown workflow, and an unknown version', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/workflows', body: { ir: passing('known') } });
  t.is((await api.call({ path: '/workflows/unknown' })).status, 404);
  t.is((await api.call({ path: '/workflows/known?version=9' })).status, 404);
});

test('200: workflows are listed newest first, in pages', async (t) => {
  const { api } = t.context;
  await api.makeTenant('lister');
  const headers = { 'x-tenant-id': 'lister' };
  for (const id of ['a', 'b', 'c']) {
    await api.call({ path: '/workflows', body: { ir: passing(id) }, headers });
  }
  const list = async (query: string) => {
    const answer = await api.call({ path: `/workflows${query}`, headers });
    return (answer.body['workflows'] as { workflow_id: string }[]).map((row) => row.workflow_id);
  };
  t.deepEqual(await list(''), ['c', 'b', 'a']);
  t.deepEqual(await list('?limit=1&offset=1'), ['b']);
  const first = await api.call({ path: '/workflows?limit=1', headers });
  t.deepEqual(await list(`?cursor=${textOf(first, 'next_cursor')}`), ['b', 'a']);
  t.deepEqual(await list('?workflow_id=a'), ['a']);
});
