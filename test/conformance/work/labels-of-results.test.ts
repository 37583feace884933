import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { claimTurn, FUNCTION } from '../../support/functions.ts';
import { expectStatus } from '../../support/tenant.ts';
import type { TestTenant } from '../../support/tenant.ts';
import type { ItemAnswer } from '../../support/wire.ts';

/* Addition: labels that workers give with a result. */

const check = onBothStores();
const call = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

interface Labelled {
  readonly execution_id: string;
  readonly labels: Readonly<Record<string, string>>;
}

const labelsOf = async (svc: TestTenant, id: string) =>
  expectStatus(await svc.get<Labelled>(`/executions/${id}`), 200).labels;

const find = async (svc: TestTenant, q: string) => {
  const path = `/executions?q=${encodeURIComponent(q)}`;
  const { body } = await svc.get<{ readonly executions: readonly Labelled[] }>(path);
  return body.executions.map(({ execution_id: id, labels }) => [id, labels]);
};

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 'v']));

const messageOf = ({ body }: { readonly body: unknown }) =>
  (body as { readonly error: string }).error;

const NAME_RULE =
  'is no name of a label: it has at most 128 letters, digits and characters of _.:/-, and begins with a letter or a digit: rename it';
const TEXT_RULE =
  'must be text: give a number or a boolean as text, such as "1", and leave null out';
const OBJECT_RULE = 'must be an object of names and texts, such as {"tier": "gold"}';

/** Labels that a worker may not give, and what the answer says of the field. */
const WRONG: readonly (readonly [JsonValue, string])[] = [
  [{ _a: 'v' }, `._a ${NAME_RULE}`],
  [{ _a: null }, `._a ${NAME_RULE}`],
  [{ ['n'.repeat(5000)]: 'v' }, `.${'n'.repeat(128)}… ${NAME_RULE}`],
  [{ ['n'.repeat(128)]: '' }, `.${'n'.repeat(128)} must not be empty: leave the label out`],
  [{ a: '' }, '.a must not be empty: leave the label out'],
  [{ a: 'v'.repeat(129) }, '.a must be at most 128 characters: shorten it, or leave the label out'],
  [{ a: 1 }, `.a ${TEXT_RULE}`],
  [{ a: null }, `.a ${TEXT_RULE}`],
  [[], ` ${OBJECT_RULE}`],
  ['gold', ` ${OBJECT_RULE}`],
  [many(17), ' are 17, and an execution has at most 16 labels: leave out 1'],
];

check(
  '200: labels of a result replace those of the start, and find the execution',
  async (t, svc) => {
    const w = await svc.register({ nodes: { a: call, b: call }, edges: [{ from: 'a', to: 'b' }] });
    const id = await svc.start(w, {}, { labels: { tier: 'gold', risk: 'unknown' } });
    await svc.work('a', {}, { labels: { risk: 'high', order: 'o-7' } });
    const labels = { tier: 'gold', risk: 'high', order: 'o-7' };
    t.deepEqual(await labelsOf(svc, id), labels);
    t.deepEqual(await find(svc, 'labels.risk = high and labels.order = o-7'), [[id, labels]]);
    t.deepEqual(await find(svc, 'labels.risk = unknown'), []);
    await svc.work('b', {}, { labels: {} });
    await svc.until(id, 'completed');
    t.deepEqual(await labelsOf(svc, id), labels);
    const completed = (await svc.events(id)).filter(({ kind }) => kind === 'NodeCompleted');
    t.deepEqual(
      completed.map(({ payload }) => payload['labels']),
      [{ risk: 'high', order: 'o-7' }, undefined],
    );
  },
);

check('200: a report, and the last turn of a function, give labels too', async (t, svc) => {
  const w = await svc.register({
    nodes: { a: call, f: FUNCTION },
    edges: [{ from: 'a', to: 'f' }],
  });
  const id = await svc.start(w);
  const item = await svc.claimOf('a');
  const { body } = await svc.post<{ readonly results: readonly { readonly status: number }[] }>(
    '/work-items/report',
    {
      worker_id: 'worker-1',
      reports: [
        {
          kind: 'complete',
          work_item_id: item.id,
          lease_fence: item.lease_fence,
          idempotency_key: item.idempotency_key,
          output: {},
          state_patch: {},
          labels: { by: 'report' },
        },
      ],
    },
  );
  t.is(body.results[0]?.status, 200);
  const turn = await claimTurn(svc);
  expectStatus(await svc.complete(turn, {}, { labels: { of: 'function', by: 'turn' } }), 200);
  await svc.until(id, 'completed');
  t.deepEqual(await labelsOf(svc, id), { by: 'turn', of: 'function' });
  t.deepEqual(await find(svc, 'labels.of = function'), [[id, { by: 'turn', of: 'function' }]]);
});

check('200: children and retries have the labels of results', async (t, svc) => {
  const child = await svc.register({
    workflow_id: 'child',
    nodes: { c: { ...call, retry_policy: { max_attempts: 1 } } },
  });
  const w = await svc.register({
    nodes: { a: call, sub: { kind: { type: 'subgraph', workflow_ref: child } } },
    edges: [{ from: 'a', to: 'sub' }],
  });
  const id = await svc.start(w, {}, { labels: { tier: 'gold' } });
  await svc.work('a', {}, { labels: { risk: 'high' } });
  await svc.breakDown('c');
  await svc.until(id, 'failed');
  const labels = { tier: 'gold', risk: 'high' };
  t.deepEqual(
    (await find(svc, 'labels.risk = high')).map(([, shown]) => shown),
    [labels, labels],
  );
  const retried = await svc.post<Labelled>(`/executions/${id}/retry`, {});
  t.deepEqual(await labelsOf(svc, retried.body.execution_id), labels);
});

check('400: a result with labels that cannot be kept settles nothing', async (t, svc) => {
  const w = await svc.register({ nodes: { a: call } });
  const id = await svc.start(w, {}, { labels: many(15) });
  const item = await svc.claimOf('a');
  for (const [labels, problem] of WRONG) {
    const refused = await svc.complete(item, {}, { labels });
    t.is(refused.status, 400, JSON.stringify(labels));
    t.is(messageOf(refused), `bad request: labels${problem}`);
  }
  const full = await svc.complete(item, {}, { labels: { one: '1', two: '2' } });
  t.is(full.status, 400);
  t.is(
    messageOf(full),
    'bad request: labels, with those that it has, are 17, and an execution has at most 16 labels: leave out 1, or replace some',
  );
  t.deepEqual(await labelsOf(svc, id), many(15));
  expectStatus(await svc.complete(item, {}, { labels: { one: '1', n3: 'w' } }), 200);
  await svc.until(id, 'completed');
  t.deepEqual(await labelsOf(svc, id), { ...many(15), n3: 'w', one: '1' });
});

check(
  '400: a turn with more labels than its execution can have settles nothing',
  async (t, svc) => {
    const w = await svc.register({ nodes: { f: FUNCTION } });
    const id = await svc.start(w, {}, { labels: many(16) });
    const turn = await claimTurn(svc);
    t.is((await svc.complete(turn, {}, { labels: { more: 'v' } })).status, 400);
    expectStatus(await svc.complete(turn, {}, { labels: { n0: 'w' } }), 200);
    await svc.until(id, 'completed');
    t.deepEqual(await labelsOf(svc, id), { ...many(16), n0: 'w' });
  },
);

check(
  '400: results that come at once give no more labels than an execution has',
  async (t, svc) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const w = await svc.register({
      nodes: {
        all: { kind: { type: 'parallel' } },
        ...Object.fromEntries(names.map((name) => [name, call])),
      },
      edges: names.map((to) => ({ from: 'all', to })),
    });
    const id = await svc.start(w, {}, { labels: many(14) });
    const items = [];
    for (const _ of names) items.push(await svc.claim());
    const answers = await Promise.all(
      items.map((item) => svc.complete(item, {}, { labels: { [item.node_id]: 'x' } })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    t.deepEqual(statuses, [200, 200, 400, 400, 400, 400]);
    const labels = await labelsOf(svc, id);
    t.is(Object.keys(labels).length, 16);
    t.deepEqual(await find(svc, 'labels.n0 = v'), [[id, labels]]);
  },
);

check('409: a stale fence sets no label', async (t, svc) => {
  const id = await svc.start(await svc.register({ nodes: { a: call } }));
  const item = await svc.claimOf('a');
  const stale = await svc.post<ItemAnswer>(`/work-items/${item.id}/complete`, {
    lease_fence: item.lease_fence + 1,
    idempotency_key: item.idempotency_key,
    output: {},
    state_patch: {},
    labels: { a: 'stale' },
  });
  t.is(stale.status, 409);
  t.deepEqual(await labelsOf(svc, id), {});
});
