import { onBothStores } from '../support/both-stores.ts';

/* Addition: queries over executions, and their counts, over HTTP. */

const check = onBothStores();
const call = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

interface Found {
  readonly executions: readonly { readonly execution_id: string; readonly status: string }[];
  readonly next_cursor: string | null;
}

interface Counts {
  readonly total: number;
  readonly is_exact: boolean;
  readonly by_status: Readonly<Record<string, number>>;
  readonly histogram: readonly {
    readonly from: string;
    readonly before: string;
    readonly by_status: Readonly<Record<string, number>>;
  }[];
}

interface Refusal {
  readonly error: string;
  readonly problems: readonly { readonly position: number; readonly expected: readonly string[] }[];
}

const withQuery = (path: string, q: string, more = '') =>
  `${path}?q=${encodeURIComponent(q)}${more}`;

check('200: a query finds executions by every field, and counts them', async (t, svc) => {
  const orders = await svc.register({
    workflow_id: 'orders',
    nodes: { a: { ...call, retry_policy: { max_attempts: 1 } } },
  });
  const refunds = await svc.register({ workflow_id: 'refunds', nodes: { b: call } });
  const failed = await svc.start(orders);
  await svc.breakDown('a', { error: 'The bank has a Timeout' });
  await svc.until(failed, 'failed');
  const completed = await svc.start(refunds);
  await svc.work('b');
  await svc.until(completed, 'completed');
  const running = await svc.start(refunds);

  const find = async (q: string) => {
    const { status, body } = await svc.get<Found>(withQuery('/executions', q));
    t.is(status, 200, q);
    return body.executions.map(({ execution_id: id }) => id);
  };
  t.deepEqual(await find('status = failed'), [failed]);
  t.deepEqual(await find('workflow = "refunds"'), [running, completed]);
  t.deepEqual(await find('workflow ~ REF and status != running'), [completed]);
  t.deepEqual(await find('error ~ timeout and started > -1h'), [failed]);
  t.deepEqual(await find('ended > -1h'), [completed, failed]);
  t.deepEqual(await find(`id in (${running}, ${failed})`), [running, failed]);
  t.deepEqual(await find('started < -1h'), []);
  t.deepEqual(await find(`parent = ${failed}`), []);

  const narrowed = withQuery('/executions', 'started > -1h', '&status=running&limit=1');
  t.deepEqual(
    (await svc.get<Found>(narrowed)).body.executions.map(({ execution_id: id }) => id),
    [running],
  );
  const first = await svc.get<Found>(withQuery('/executions', 'started > -1h', '&limit=2'));
  const cursor = first.body.next_cursor ?? '';
  const second = await svc.get<Found>(
    withQuery('/executions', 'started > -1h', `&limit=2&cursor=${encodeURIComponent(cursor)}`),
  );
  t.deepEqual(
    [...first.body.executions, ...second.body.executions].map(({ execution_id: id }) => id),
    [running, completed, failed],
  );
  t.is(second.body.next_cursor, null);

  const counts = await svc.get<Counts>(
    withQuery('/executions/counts', 'started > -1h', '&buckets=4'),
  );
  t.is(counts.status, 200);
  t.like(counts.body, { total: 3, is_exact: true });
  t.deepEqual(counts.body.by_status, { completed: 1, failed: 1, running: 1 });
  t.is(counts.body.histogram.length, 4);
  t.deepEqual(counts.body.histogram.at(-1)?.by_status, { completed: 1, failed: 1, running: 1 });
  const nothing = await svc.get<Counts>(withQuery('/executions/counts', 'status = paused'));
  t.deepEqual(nothing.body, { total: 0, is_exact: true, by_status: {}, histogram: [] });
  const nobody = await svc.get<Counts>('/executions/counts?parent_execution_id=nobody');
  t.is(nobody.body.total, 0);
});

check('200: a bulk acts on what a query finds', async (t, svc) => {
  const orders = await svc.register({ workflow_id: 'orders', nodes: { a: call } });
  const ids = [await svc.start(orders), await svc.start(orders), await svc.start(orders)];
  const [first, second, third] = ids;
  const request = { action: 'cancel', filter: { q: `id in (${first}, ${second})` } };
  const preview = await svc.post<{ readonly total: number }>('/executions/bulk', {
    ...request,
    dry_run: true,
  });
  t.is(preview.body.total, 2);
  const done = await svc.post<{ readonly results: readonly { readonly outcome: string }[] }>(
    '/executions/bulk',
    request,
  );
  t.deepEqual(
    done.body.results.map(({ outcome }) => outcome),
    ['done', 'done'],
  );
  t.is((await svc.read(third ?? '')).status, 'running');
  t.is((await svc.read(first ?? '')).status, 'cancelled');
  const wrong = await svc.post('/executions/bulk', { action: 'cancel', filter: { q: 'nothing' } });
  t.is(wrong.status, 400);
});

check('200: a query may name the first and the last instant', async (t, svc) => {
  const id = await svc.start(await svc.register({ workflow_id: 'orders', nodes: { a: call } }));
  for (const [q, found] of [
    ['started > 9999-12-31T23:59:59.999Z', []],
    ['started <= 9999-12-31T23:59:59.999Z', [id]],
    ['ended > 9999-12-31T23:59:59.999Z', []],
    ['started >= 0001-01-01', [id]],
    ['started < 0001-01-01', []],
  ] as const) {
    const { status, body } = await svc.get<Found>(withQuery('/executions', q));
    t.is(status, 200, q);
    t.deepEqual(
      body.executions.map(({ execution_id: own }) => own),
      [...found],
      q,
    );
    const counts = await svc.get<Counts>(withQuery('/executions/counts', q));
    t.like(counts, { status: 200, body: { total: found.length } }, q);
    for (const { before } of counts.body.histogram) t.regex(before, /^\d{4}-/, q);
  }
});

check('400: a time that no database can hold', async (t, svc) => {
  const id = await svc.start(await svc.register({ workflow_id: 'orders', nodes: { a: call } }));
  const early = '0001-01-01T00:00:00+00:01';
  const late = '9999-12-31T23:59:00-00:01';
  for (const time of [early, late, '0000-01-01']) {
    const at = encodeURIComponent(time);
    for (const path of [
      withQuery('/executions', `started > ${time}`),
      withQuery('/failures', `ended < ${time}`),
      `/executions?created_after=${at}`,
      `/executions/counts?created_before=${at}`,
      `/executions/${id}/state?at=${at}`,
      `/audit?since=${at}`,
    ]) {
      t.is((await svc.get(path)).status, 400, path);
    }
    const start = { workflow_id: 'orders', input: {}, start_after: time };
    t.is((await svc.post('/executions', start)).status, 400, time);
  }
});

check('400: a query with mistakes, and where they are', async (t, svc) => {
  for (const path of ['/executions', '/executions/counts']) {
    const { status, body } = await svc.get<Refusal>(
      withQuery(path, 'status = broken and stat = 1'),
    );
    t.is(status, 400);
    t.is(body.error, 'bad request: q: no status is named broken (at character 10)');
    t.deepEqual(
      body.problems.map(({ position }) => position),
      [9, 20],
    );
    t.true(body.problems[0]?.expected.includes('failed'));
  }
  const { status, body } = await svc.get<Refusal>(
    withQuery('/executions', 'status = failed', '&offset=1'),
  );
  t.is(status, 400);
  t.regex(body.error, /offset is not for lists with q/);
});
