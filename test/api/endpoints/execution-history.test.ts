import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { Dialect } from '../../support/database.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { approving, claim, startWorkflow, tooling, waiting } from '../support/workflows.ts';

const test = anyTest as TestFn<Readonly<Record<Dialect, TestApi>>>;
const DIALECTS = ['sqlite', 'postgres'] as const;

test.before(async (t) => {
  t.context = {
    sqlite: await startTestApi({ dialect: 'sqlite' }),
    postgres: await startTestApi({ dialect: 'postgres' }),
  };
});

test.after.always((t) => Promise.all(DIALECTS.map((dialect) => t.context[dialect].close())));

/** Nodes a, b and c, each of which writes its own key and the key `last`. */
function writing(workflowId: string) {
  const nodes = Object.fromEntries(
    ['a', 'b', 'c'].map((id) => [
      id,
      {
        kind: { type: 'pass' },
        output_key: id,
        output: { [id]: 1 },
      },
    ]),
  );
  return {
    workflow_id: workflowId,
    version: '1',
    nodes,
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
    ],
  };
}

/** One wait, whose event goes under the key `paid`. */
function waitingFor(workflowId: string) {
  const { nodes, ...ir } = waiting(workflowId);
  const { pay } = nodes as { readonly pay: JsonObject };
  return { ...ir, nodes: { pay: { ...pay, output_key: 'paid' } } };
}

/* Tests that claim run one after another: a claim takes any item of the store. */

for (const dialect of DIALECTS) {
  const title = (text: string) => `${dialect}: ${text}`;

  test.serial(
    title('200: the state is read after any event, and says who set its keys'),
    async (t) => {
      const api = t.context[dialect];
      const executionId = await startWorkflow(api, {
        ir: tooling('stated'),
        input: { order: { id: 7, paid: false } },
      });
      const item = await claim(api);
      await api.call({
        path: `/work-items/${item.id}/complete`,
        body: {
          lease_fence: item.lease_fence,
          idempotency_key: item.idempotency_key,
          output: { ok: true },
          state_patch: { order: { paid: true }, note: 'done' },
          duration_ms: 0,
        },
      });
      await api.advance(executionId);
      const path = `/executions/${executionId}`;
      const read = async (suffix: string) => (await api.call({ path: `${path}${suffix}` })).body;

      const whole = await read('');
      const last = await read('/state');
      t.deepEqual(last['state'], whole['state']);
      t.like(last, { status: 'completed', omitted_total: 0 });
      t.is(last['sequence'], last['last_sequence']);
      t.like(await read('/state?sequence=0'), { state: {}, at: null });
      t.like(await read('/state?sequence=1'), {
        sequence: 1,
        status: 'running',
        state: { order: { id: 7, paid: false } },
      });

      const difference = await read('/state/diff?from=1');
      t.like(difference, { from: 1, to: last['sequence'], truncated: false });
      t.deepEqual(
        (difference['changes'] as unknown as { path: string }[])
          .map(({ path: at }) => at)
          .toSorted(),
        ['/note', '/order/paid'],
      );
      t.deepEqual((await read('/state/diff?from=1&to=1'))['changes'], []);
      const back = await read(`/state/diff?from=${JSON.stringify(last['sequence'])}&to=1`);
      t.like(
        (back['changes'] as unknown as { path: string }[]).find((one) => one.path === '/note'),
        { op: 'remove', before: 'done', after: null },
      );

      const blamed = await read('/state/blame');
      const keys = blamed['keys'] as unknown as { key: string; sequence: number; kind: string }[];
      t.like(
        keys.find(({ key }) => key === 'note'),
        { kind: 'NodeCompleted', node_id: 'reserve', worker_id: 'w1', cause: null },
      );
      t.like((await read('/state/blame?sequence=1'))['keys'], [
        { key: 'order', sequence: 1, kind: 'WorkflowStarted' },
      ]);
    },
  );

  test(title('200: the timeline says what each node did, as of any event'), async (t) => {
    const api = t.context[dialect];
    const executionId = await startWorkflow(api, { ir: waiting('timed') });
    const path = `/executions/${executionId}/timeline`;
    t.like((await api.call({ path })).body, {
      status: 'paused',
      ended_at: null,
      nodes: [{ node_id: 'pay', status: 'waiting', visits: 1, progress: null }],
      visits: [{ node_id: 'pay', visit: 0, end: null }],
      next_after: null,
    });
    await api.call({
      path: `/executions/${executionId}/external-event`,
      body: { correlation_key: 'paid', payload: {} },
    });
    await api.advance(executionId);
    const later = (await api.call({ path })).body;
    t.like(later, { status: 'completed', nodes: [{ status: 'completed' }] });
    const before = (await api.call({ path: `${path}?sequence=2` })).body;
    t.like(before, { sequence: 2, nodes: [{ status: 'waiting', ended_at: null }] });
    t.deepEqual((await api.call({ path: `${path}?status=failed` })).body['visits'], []);
    t.deepEqual((await api.call({ path: `${path}?node=pay&after=2` })).body['visits'], []);
  });

  test(title('200: events are read backwards, between bounds, by kind and briefly'), async (t) => {
    const api = t.context[dialect];
    const executionId = await startWorkflow(api, {
      ir: writing('chained'),
      input: { text: 'x'.repeat(1_000), short: 1 },
    });
    const read = async (query: string) => {
      const { body } = await api.call({ path: `/executions/${executionId}/events?${query}` });
      return body['events'] as unknown as {
        sequence: number;
        kind: string;
        payload: Record<string, unknown>;
      }[];
    };
    const all = await read('');
    const descending = await read('order=desc');
    t.deepEqual(descending, all.toReversed());
    t.deepEqual(await read('order=desc&before=4&limit=2'), [all[2], all[1]] as typeof all);
    t.deepEqual(
      await read('types=NodeCompleted,WorkflowStarted'),
      all.filter(({ kind }) => kind === 'NodeCompleted' || kind === 'WorkflowStarted'),
    );
    t.is(all[0]?.payload['workflow_id'], 'chained');
    const [brief] = await read('payload=brief&limit=1');
    t.is(brief?.payload['workflow_id'], 'chained');
    t.false('input' in (brief?.payload ?? {}));
  });
}

for (const dialect of DIALECTS) {
  test(`${dialect}: 200: a state is named by a time, too`, async (t) => {
    const api = t.context[dialect];
    const executionId = await startWorkflow(api, { ir: waiting('as-of') });
    const path = `/executions/${executionId}`;
    await api.call({
      path: `${path}/external-event`,
      body: { correlation_key: 'paid', payload: { sum: 3 } },
    });
    await api.advance(executionId);
    const events = (await api.call({ path: `${path}/events` })).body['events'];
    const times = (events as unknown as { created_at: string }[]).map((one) => one.created_at);
    const first = times[0] ?? '';
    const read = async (suffix: string) => (await api.call({ path: `${path}${suffix}` })).body;
    for (const time of times) {
      const sequence = times.lastIndexOf(time) + 1;
      t.like(await read(`/state?at=${time}`), { sequence, at: time });
      t.like(await read(`/state/blame?at=${time}`), { sequence });
    }
    const before = new Date(Date.parse(first) - 1).toISOString();
    t.like(await read(`/state?at=${before}`), { sequence: 0, at: null, state: {} });
    t.like(await read('/state?at=2100-01-01T00:00:00%2B01:00'), { sequence: times.length });
    t.like(await read('/state?at=2'), { sequence: 2 });
    const bySequence = await read(`/state/diff?from=0&to=${times.length}`);
    t.deepEqual(await read(`/state/diff?from=${before}&to=${times.at(-1)}`), bySequence);
    t.deepEqual(await read(`/state/diff?from=${before}`), bySequence);
  });

  test(`${dialect}: 200: blame names the person whose decision or event set a key`, async (t) => {
    const api = t.context[dialect];
    const decided = await startWorkflow(api, { ir: approving('blamed') });
    await api.call({
      path: `/executions/${decided}/approve`,
      body: { decision: 'approved', user_id: 'ann', state_patch: { checked: true } },
    });
    await api.advance(decided);
    const keys = async (id: string) => {
      const { body } = await api.call({ path: `/executions/${id}/state/blame` });
      return body['keys'] as unknown as { readonly key: string }[];
    };
    t.like(
      (await keys(decided)).find(({ key }) => key === 'checked'),
      {
        actor_id: 'system:scheduler',
        worker_id: null,
        cause: { kind: 'ApprovalReceived', user_id: 'ann' },
      },
    );
    const told = await startWorkflow(api, { ir: waitingFor('told') });
    await api.call({
      path: `/executions/${told}/external-event`,
      body: { correlation_key: 'paid', payload: { sum: 3 } },
    });
    await api.advance(told);
    t.like(
      (await keys(told)).find(({ key }) => key === 'paid'),
      { cause: { kind: 'ExternalEventReceived', user_id: null } },
    );
  });

  test.serial(`${dialect}: 200: a data policy masks every reading of a history`, async (t) => {
    const api = t.context[dialect];
    const ssn = '078-05-1120';
    const executionId = await startWorkflow(api, {
      ir: { ...tooling('masked'), data_policy: { pii_fields: ['ssn'], detectors: ['email'] } },
      input: { ssn, order: 1 },
    });
    const item = await claim(api);
    await api.call({
      path: `/work-items/${item.id}/fail`,
      body: { lease_fence: item.lease_fence, error: 'ann@mail.example is unknown' },
    });
    await api.advance(executionId);
    const path = `/executions/${executionId}`;
    t.deepEqual((await api.call({ path: `${path}/state` })).body['state'], {
      ssn: '***',
      order: 1,
    });
    for (const suffix of [
      '/state?sequence=1',
      '/state/diff',
      '/state/blame',
      '/timeline',
      '/timeline?node=reserve',
      '/events?payload=brief&order=desc',
    ]) {
      const { status, body } = await api.call({ path: `${path}${suffix}` });
      t.is(status, 200, suffix);
      const text = JSON.stringify(body);
      t.false(text.includes(ssn) || text.includes('ann@mail'), suffix);
    }
    await api.call({ path: `${path}/cancel`, body: {} });
  });

  test.serial(
    `${dialect}: 200: the timeline counts the items of a map, and finds the failed ones`,
    async (t) => {
      const api = t.context[dialect];
      const worker = { kind: { type: 'python_fn', module: 'shop', function: 'ship' } };
      const executionId = await startWorkflow(api, {
        ir: {
          workflow_id: 'counted',
          nodes: {
            each: {
              kind: {
                type: 'map',
                items: 'input.orders',
                item_key: 'order',
                on_item_failure: 'collect',
                node: { ...worker, id: 'ship', retry_policy: 'no_retry' },
              },
            },
          },
          edges: [],
        },
        input: { orders: ['x', 'y', 'z'] },
      });
      const items = [await claim(api), await claim(api)];
      t.true(items.every((item) => item.execution_id === executionId));
      const [first, second] = items;
      const settle = (item: typeof first, end: string, body: JsonObject) =>
        api.call({
          path: `/work-items/${item?.id ?? ''}/${end}`,
          body: { lease_fence: item?.lease_fence ?? 0, ...body },
        });
      const key = { idempotency_key: first?.idempotency_key ?? '' };
      await settle(first, 'complete', { ...key, output: {}, state_patch: {} });
      await settle(second, 'fail', { error: 'no such order' });
      await api.advance(executionId);
      const path = `/executions/${executionId}/timeline`;
      const { body } = await api.call({ path });
      t.like(body, {
        nodes: [
          { node_id: 'each', status: 'working', progress: { done: 1, total: 3, failed: 1 } },
          { node_id: 'ship', status: 'working', visits: 3, error: 'no such order' },
        ],
        visits: [{ node_id: 'each', item_count: 3 }],
      });
      const failed = await api.call({ path: `${path}?node=each&status=failed` });
      t.like(failed.body, {
        visits: [{ node_id: 'ship', item: { index: 1 }, end: { error: 'no such order' } }],
      });
      const page = await api.call({ path: `${path}?node=ship&limit=2` });
      const rest = await api.call({
        path: `${path}?node=ship&after=${JSON.stringify(page.body['next_after'])}`,
      });
      t.is((page.body['visits'] as unknown as unknown[]).length, 2);
      t.like(rest.body, { visits: [{ item: { index: 2 } }], next_after: null });
      await api.call({ path: `/executions/${executionId}/cancel`, body: {} });
    },
  );

  test(`${dialect}: 200: the head of an execution leaves out state and input`, async (t) => {
    const api = t.context[dialect];
    const executionId = await startWorkflow(api, { ir: waiting('headed'), input: { large: 'x' } });
    const path = `/executions/${executionId}`;
    const whole = (await api.call({ path })).body;
    const head = (await api.call({ path: `${path}?view=head` })).body;
    const none = { state: {}, current_state: {}, input: {}, initial_input: {} };
    t.deepEqual(head, { ...whole, ...none });
    t.is((await api.call({ path: `${path}?view=part` })).status, 400);
  });

  test(`${dialect}: 200: a history that is read on is the same as one that is read at once`, async (t) => {
    const api = t.context[dialect];
    const executionId = await startWorkflow(api, { ir: waiting('read-on') });
    const path = `/executions/${executionId}`;
    const early = await api.call({ path: `${path}/timeline` });
    const upTo = Number(early.body['last_sequence']);
    await api.call({
      path: `${path}/external-event`,
      body: { correlation_key: 'paid', payload: { sum: 3 } },
    });
    await api.advance(executionId);
    t.like((await api.call({ path: `${path}/timeline` })).body, {
      status: 'completed',
      nodes: [{ node_id: 'pay', status: 'completed' }],
    });
    const again = await api.call({ path: `${path}/timeline?sequence=${upTo}` });
    t.deepEqual(again.body['nodes'], early.body['nodes']);
    t.deepEqual(again.body['visits'], early.body['visits']);
  });
}

test('400: sequences, orders and kinds that are none, and an event that does not exist', async (t) => {
  const api = t.context.sqlite;
  const executionId = await startWorkflow(api, { ir: waiting('refused') });
  for (const suffix of [
    'state?sequence=-1',
    'state?sequence=x',
    'state?sequence=1000',
    'state?at=-1',
    'state?at=yesterday',
    'state?at=2026-01-31T09:30:00',
    'state?at=2026-13-31T09:30:00Z',
    'state?at=1000',
    'state/diff?from=now',
    'state/diff?from=1000',
    'state/diff?to=1000',
    'state/blame?sequence=1000',
    'timeline?sequence=1000',
    'timeline?status=odd',
    'timeline?limit=0',
    'events?order=up',
    'events?before=0',
    'events?types=',
    'events?types=a;b',
    'events?payload=none',
  ]) {
    const answer = await api.call({ path: `/executions/${executionId}/${suffix}` });
    t.is(answer.status, 400, suffix);
  }
});

test('404: an unknown execution has no history, and an unknown node no visits', async (t) => {
  const api = t.context.sqlite;
  const executionId = await startWorkflow(api, { ir: waiting('known') });
  const unknown = `exec_${'0'.repeat(32)}`;
  for (const path of [
    `/executions/${unknown}/state`,
    `/executions/${unknown}/state/diff`,
    `/executions/${unknown}/state/blame`,
    `/executions/${unknown}/timeline`,
    `/executions/${executionId}/timeline?node=nowhere`,
  ]) {
    t.is((await api.call({ path })).status, 404, path);
  }
});
