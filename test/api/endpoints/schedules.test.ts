import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

const IR = {
  workflow_id: 'w',
  state_schema: { type: 'object', properties: { amount: { type: 'number' } } },
  nodes: {},
};

test.before(async (t) => {
  const api = await startTestApi();
  await api.call({ path: '/workflows', body: { ir: IR } });
  t.context.api = api;
});

test.after.always((t) => t.context.api.close());

let named = 0;

function spec(changes: JsonObject = {}): JsonObject {
  named += 1;
  return { name: `s${named}`, workflow_id: 'w', cron_expression: '30 9 * * mon-fri', ...changes };
}

test('201: a schedule is made with its defaults, and tells its next ten fires', async (t) => {
  const { api } = t.context;
  const body = spec();
  const created = await api.call({ path: '/schedules', body });
  t.is(created.status, 201);
  const { schedule_id: _, next_fires: fires, created_at: createdAt, ...rest } = created.body;
  const id = textOf(created, 'schedule_id');
  t.regex(id, /^[0-9a-f-]{36}$/);
  t.deepEqual(rest, {
    next_run_at: (fires as readonly string[])[0] ?? '',
    name: body['name'] ?? '',
    workflow_id: 'w',
    workflow_version: null,
    input: {},
    cron_expression: '30 9 * * mon-fri',
    every: null,
    timezone: 'UTC',
    overlap_policy: 'skip',
    catchup_window_secs: 60,
    paused: false,
    revision: 1,
    waiting_fire_at: null,
    last_fire_at: null,
    last_execution_id: null,
    last_error: null,
    fires: { started: 0, skipped: 0, missed: 0, failed: 0 },
    updated_at: createdAt ?? '',
  });
  const told = fires as readonly string[];
  t.is(told.length, 10);
  t.true(told.every((fire) => fire.endsWith('T09:30:00.000Z')));
  t.deepEqual(told, told.toSorted());
  const read = await api.call({ path: `/schedules/${textOf(created, 'name')}` });
  t.deepEqual(read.body, created.body);
  t.deepEqual((await api.call({ path: `/cron/${id}` })).body, created.body);
});

test('200: a preview tells the next fires, and stores nothing', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'developer', tenant: 'previewing' });
  const preview = (body: JsonObject) => api.call({ path: '/schedules/preview', body, token });
  const cron = await preview({ cron_expression: '30 9 * * *', timezone: 'Asia/Tokyo' });
  t.is(cron.status, 200);
  const fires = cron.body['next_fires'] as readonly string[];
  t.is(fires.length, 10);
  t.true(fires.every((fire) => fire.endsWith('T00:30:00.000Z')));
  t.deepEqual(fires, fires.toSorted());
  const every = await preview({ every: '15m', count: 100 });
  const instants = (every.body['next_fires'] as readonly string[]).map(Date.parse);
  t.is(instants.length, 100);
  t.true(instants.every((instant, n) => instant === (instants[0] ?? 0) + n * 900_000));
  t.deepEqual((await api.call({ path: '/schedules', token })).body, { schedules: [] });
});

test('400: a preview of a wrong timing says what is wrong', async (t) => {
  const { api } = t.context;
  for (const [body, message] of [
    [{}, /one of cron_expression and every is required/],
    [{ every: '1h', cron_expression: '@daily' }, /only one of them/],
    [{ cron_expression: '61 * * * *' }, /cannot be read/],
    [{ cron_expression: '0 0 30 2 *' }, /never fires/],
    [{ every: '1ms' }, /whole number of seconds/],
    [{ every: '1h', timezone: 'Mars/Olympus' }, /not an IANA time zone/],
    [{ every: '1h', count: 0 }, /count must be at least 1/],
    [{ every: '1h', count: 101 }, /count must be at most 100/],
  ] as const) {
    const answer = await api.call({ path: '/schedules/preview', body });
    t.is(answer.status, 400, JSON.stringify(body));
    t.regex(answer.error, message);
  }
});

test('201: a schedule is triggered by hand, and its fires stay', async (t) => {
  const { api } = t.context;
  const body = spec({ input: { amount: 7 }, paused: true });
  const created = await api.call({ path: '/schedules', body });
  const path = `/schedules/${textOf(created, 'schedule_id')}`;
  const trigger = (key: string, at = path) =>
    api.call({ method: 'POST', path: `${at}/trigger`, headers: { 'idempotency-key': key } });
  const first = await trigger('once');
  t.is(first.status, 201);
  const read = await api.call({ path: `/executions/${textOf(first, 'execution_id')}` });
  t.like(read.body, { workflow_id: 'w' });
  t.like(read.body['state'], { amount: 7 });
  t.deepEqual((await trigger('once')).body, first.body);
  const other = await trigger('twice', `/schedules/${textOf(created, 'name')}`);
  t.not(other.body['execution_id'], first.body['execution_id']);
  t.deepEqual((await api.call({ path })).body, created.body);
});

test('400, 404 and 409: a trigger that is refused', async (t) => {
  const { api } = t.context;
  const one = await api.call({ path: '/schedules', body: spec({ input: { amount: 1 } }) });
  const two = await api.call({ path: '/schedules', body: spec({ input: { amount: 2 } }) });
  const trigger = (id: string, key: string) =>
    api.call({
      method: 'POST',
      path: `/schedules/${id}/trigger`,
      headers: { 'idempotency-key': key },
    });
  t.is((await trigger('no-such', 'k')).status, 404);
  t.is((await trigger(textOf(one, 'name'), 'k'.repeat(513))).status, 400);
  t.is((await trigger(textOf(one, 'name'), 'shared')).status, 201);
  t.is((await trigger(textOf(two, 'name'), 'shared')).status, 409);
});

test('403: a viewer triggers nothing', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/schedules', body: spec() });
  const token = await api.mint({ role: 'viewer' });
  const path = `/schedules/${textOf(created, 'name')}/trigger`;
  t.is((await api.call({ method: 'POST', path, token })).status, 403);
});

test('200: past fires of a schedule are started once, a part at a time', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/schedules', body: spec({ input: { amount: 7 } }) });
  const path = `/schedules/${textOf(created, 'schedule_id')}/backfill`;
  // From a Thursday: the fires of Thursday, Friday and Monday.
  const body = { from: '2026-01-01T09:30:00Z', to: '2026-01-06T09:30:00Z' };
  const foreseen = await api.call({ path, body: { ...body, dry_run: true } });
  t.like(foreseen.body, { next_from: null, stopped_by: null });
  const fires = foreseen.body['fires'] as readonly Readonly<Record<string, string>>[];
  t.deepEqual(
    fires.map(({ fire_at: at, outcome }) => [at, outcome]),
    [
      ['2026-01-01T09:30:00.000Z', 'would_start'],
      ['2026-01-02T09:30:00.000Z', 'would_start'],
      ['2026-01-05T09:30:00.000Z', 'would_start'],
    ],
  );
  const first = await api.call({ path, body: { ...body, limit: 2 } });
  t.like(first.body, { next_from: '2026-01-05T09:30:00.000Z', stopped_by: null });
  t.deepEqual(
    first.body['fires'],
    fires.slice(0, 2).map((fire) => ({ ...fire, outcome: 'started' })),
  );
  const rest = await api.call({ path, body });
  t.deepEqual(
    rest.body['fires'],
    fires.map((fire, index) => ({ ...fire, outcome: index < 2 ? 'existed' : 'started' })),
  );
  const read = await api.call({ path: `/executions/${fires[2]?.['execution_id']}` });
  t.like(read.body['state'], { amount: 7 });
  const after = await api.call({ path: `/schedules/${textOf(created, 'schedule_id')}` });
  t.deepEqual(after.body, created.body);
});

test('400 and 404: a backfill that is refused', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/schedules', body: spec() });
  const path = `/schedules/${textOf(created, 'name')}/backfill`;
  for (const [body, message] of [
    [{ from: '2026-01-02', to: '2026-01-01' }, /from must be before to/],
    [{ from: '2026-01-01', to: '2999-01-01' }, /to must have passed/],
    [{ from: '2026-01-01' }, /to is required/],
    [{ from: 'monday', to: '2026-01-01' }, /from must be an ISO 8601 instant/],
    [{ from: '2026-01-01', to: '2026-01-02', limit: 1_001 }, /limit must be at most 1000/],
  ] as const) {
    const reply = await api.call({ path, body });
    t.is(reply.status, 400);
    t.regex(textOf(reply, 'error'), message);
  }
  const times = { from: '2026-01-01', to: '2026-01-02' };
  t.is((await api.call({ path: '/schedules/none/backfill', body: times })).status, 404);
});

test('403: a viewer backfills nothing', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/schedules', body: spec() });
  const token = await api.mint({ role: 'viewer' });
  const path = `/schedules/${textOf(created, 'name')}/backfill`;
  const body = { from: '2026-01-01', to: '2026-01-02' };
  t.is((await api.call({ path, body, token })).status, 403);
});

test('201: a schedule is made under /cron, in a time zone, or at intervals', async (t) => {
  const { api } = t.context;
  const zoned = spec({
    cron_expression: '0 0 9 * * *',
    timezone: 'Asia/Tokyo',
    input: { amount: 1 },
    workflow_version: '1.0.0',
    overlap_policy: 'cancel_previous',
    catchup_window_secs: 0,
  });
  const made = await api.call({ path: '/cron', body: zoned });
  t.is(made.status, 201);
  t.like(made.body, zoned);
  t.regex(JSON.stringify(made.body['next_fires']), /^\["[-0-9]+T00:00:00\.000Z"/);
  const every = await api.call({
    path: '/schedules',
    body: spec({ cron_expression: null, every: '15m' }),
  });
  t.like(every.body, { every: '15m', cron_expression: null });
  const fires = (every.body['next_fires'] as readonly string[]).map(Date.parse);
  t.true(fires.every((fire) => fire % 900_000 === 0));
  const paused = await api.call({ path: '/schedules', body: spec({ paused: true }) });
  t.like(paused.body, { paused: true, next_fires: [] });
});

test('400: a reply names what makes a schedule invalid', async (t) => {
  const { api } = t.context;
  for (const [changes, message] of [
    [{ name: '' }, /^bad request: name must not be empty$/],
    [{ name: null }, /^bad request: name is required$/],
    [{ name: 'a/b' }, /name must not hold control characters or slashes/],
    [{ name: 'a\nb' }, /name must not hold control characters or slashes/],
    [{ name: 'x'.repeat(129) }, /name must be at most 128 characters/],
    [{ name: '01900000-0000-7000-8000-000000000001' }, /name must not look like an id/],
    [{ workflow_id: null }, /workflow_id is required/],
    [{ cron_expression: null }, /one of cron_expression and every is required/],
    [{ every: '1m' }, /one of cron_expression and every is required/],
    [{ cron_expression: 'now' }, /must have five fields/],
    [{ cron_expression: '0 0 31 2 *' }, /cron_expression never fires/],
    [{ cron_expression: '99 * * * *' }, /cannot be read/],
    [{ cron_expression: null, every: '1ms' }, /every must be/],
    [{ timezone: 'Mars/Base' }, /is not an IANA time zone/],
    [{ overlap_policy: 'maybe' }, /overlap_policy/],
    [{ catchup_window_secs: -1 }, /catchup_window_secs must be at least 0/],
    [{ catchup_window_secs: 2_678_401 }, /catchup_window_secs must be at most 2678400/],
    [{ catchup_window_secs: 1.5 }, /catchup_window_secs/],
    [{ input: [] }, /input must be an object/],
    [{ input: { amount: 'much' } }, /input does not satisfy the state schema/],
    [{ paused: 'yes' }, /paused/],
  ] as const) {
    const answer = await api.call({ path: '/schedules', body: spec(changes) });
    t.is(answer.status, 400, JSON.stringify(changes));
    t.regex(answer.error, message);
  }
});

test('200: a schedule is changed by what is named, paused and resumed', async (t) => {
  const { api } = t.context;
  const made = await api.call({ path: '/schedules', body: spec({ workflow_version: '1.0.0' }) });
  const path = `/schedules/${textOf(made, 'schedule_id')}`;
  const change = (body: JsonObject) => api.call({ method: 'PUT', path, body });
  const paused = await change({ paused: true, input: { amount: 2 } });
  t.is(paused.status, 200);
  t.like(paused.body, {
    paused: true,
    input: { amount: 2 },
    next_fires: [],
    revision: 2,
    workflow_version: '1.0.0',
    cron_expression: '30 9 * * mon-fri',
  });
  const resumed = await change({ paused: false, every: '1h', workflow_version: null, revision: 2 });
  t.like(resumed.body, {
    paused: false,
    every: '1h',
    cron_expression: null,
    workflow_version: null,
    revision: 3,
  });
  t.is((resumed.body['next_fires'] as readonly string[]).length, 10);
  // Sends the whole schedule as it was read.
  const whole = await change(resumed.body);
  t.is(whole.status, 200);
  t.like(whole.body, { every: '1h', cron_expression: null, revision: 4 });
});

test('400, 404 and 409: a change that cannot be made changes nothing', async (t) => {
  const { api } = t.context;
  const made = await api.call({ path: '/schedules', body: spec() });
  const path = `/schedules/${textOf(made, 'name')}`;
  for (const [body, status, message] of [
    [{ name: 'other' }, 400, /keeps its name/],
    [{ cron_expression: '* * * * *', every: '1m' }, 400, /only one of them/],
    [{ timezone: 'Nowhere' }, 400, /is not an IANA time zone/],
    [{ input: { amount: 'x' } }, 400, /does not satisfy the state schema/],
    [{ workflow_id: 'gone' }, 404, /^not found: workflow gone$/],
    [{ workflow_version: '9' }, 404, /^not found: workflow w version 9$/],
    [{ paused: true, revision: 2 }, 409, /has revision 1, not 2$/],
  ] as const) {
    const answer = await api.call({ method: 'PUT', path, body });
    t.is(answer.status, status, JSON.stringify(body));
    t.regex(answer.error, message);
  }
  t.deepEqual((await api.call({ path })).body, made.body);
});

test('200: schedules are listed newest first, in pages', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'developer', tenant: 'lister' });
  await api.call({ path: '/workflows', body: { ir: IR }, token });
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.unshift(textOf(await api.call({ path: '/schedules', body: spec(), token }), 'schedule_id'));
  }
  const list = async (path: string) => {
    const { body } = await api.call({ path, token });
    return (body['schedules'] as readonly JsonObject[]).map((one) => one['schedule_id']);
  };
  t.deepEqual(await list('/schedules'), ids);
  t.deepEqual(await list('/cron?limit=1&offset=1'), ids.slice(1, 2));
  for (const query of ['limit=0', 'limit=x', 'offset=-1']) {
    t.is((await api.call({ path: `/schedules?${query}`, token })).status, 400);
  }
});

test('200: a schedule is deleted, and gone', async (t) => {
  const { api } = t.context;
  const made = await api.call({ path: '/schedules', body: spec() });
  const path = `/schedules/${textOf(made, 'name')}`;
  const deleted = await api.call({ method: 'DELETE', path });
  t.is(deleted.status, 200);
  t.deepEqual(deleted.body, made.body);
  for (const method of ['DELETE', 'GET', 'PUT'] as const) {
    const body = method === 'PUT' ? { body: { paused: true } } : {};
    t.is((await api.call({ method, path, ...body })).status, 404, method);
  }
});

test('200: a name that is taken: the schedule is replaced as a whole, under its id', async (t) => {
  const { api } = t.context;
  const body = spec({ overlap_policy: 'queue' });
  const made = await api.call({ path: '/schedules', body });
  t.is(made.status, 201);
  const { overlap_policy: _, ...rest } = body;
  const changed = { ...rest, every: '1h', cron_expression: null };
  const again = await api.call({ path: '/cron', body: changed });
  t.is(again.status, 200);
  t.like(again.body, {
    schedule_id: textOf(made, 'schedule_id'),
    every: '1h',
    cron_expression: null,
    overlap_policy: 'skip',
    revision: 2,
  });
  const same = await api.call({ path: '/cron', body: changed });
  t.is(same.body['next_run_at'], again.body['next_run_at']);
});

test('200, 201: one of many concurrent calls makes the schedule', async (t) => {
  const { api } = t.context;
  const body = spec();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => api.call({ path: '/cron', body })),
  );
  t.is(answers.filter(({ status }) => status === 201).length, 1);
  t.is(answers.filter(({ status }) => status === 200).length, 9);
  t.is(new Set(answers.map((answer) => textOf(answer, 'schedule_id'))).size, 1);
});

for (const path of ['/schedules', '/cron']) {
  test(`201: one that is not enabled never fires (${path})`, async (t) => {
    const { api } = t.context;
    const made = await api.call({ path, body: spec({ enabled: false }) });
    t.like(made.body, { paused: true, next_run_at: null, next_fires: [] });
    const at = `${path}/${textOf(made, 'schedule_id')}`;
    const woken = await api.call({ method: 'PUT', path: at, body: { enabled: true } });
    t.like(woken.body, { paused: false });
    t.is(woken.body['next_run_at'], (woken.body['next_fires'] as readonly string[])[0]);
    const asleep = await api.call({ method: 'PUT', path: at, body: { enabled: false } });
    t.is(asleep.body['next_run_at'], null);
    const both = await api.call({ path, body: spec({ enabled: true, paused: true }) });
    t.is(both.status, 400);
    t.regex(both.error, /contradict/);
  });
}

test('404: an unknown workflow', async (t) => {
  const { api } = t.context;
  const answer = await api.call({ path: '/schedules', body: spec({ workflow_id: 'gone' }) });
  t.is(answer.status, 404);
  t.is(answer.error, 'not found: workflow gone');
});

test('401 and 403: everyone with a token reads schedules, writers make them', async (t) => {
  const { api } = t.context;
  const made = await api.call({ path: '/schedules', body: spec() });
  const path = `/schedules/${textOf(made, 'schedule_id')}`;
  t.is((await api.call({ path, token: null })).status, 401);
  const token = await api.mint({ role: 'viewer' });
  t.is((await api.call({ path, token })).status, 200);
  t.is((await api.call({ path: '/schedules', body: spec(), token })).status, 403);
  t.is((await api.call({ method: 'PUT', path, body: { paused: true }, token })).status, 403);
  t.is((await api.call({ method: 'DELETE', path, token })).status, 403);
});
