import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { onBothStores } from '../../support/both-stores.ts';
import {
  claimTurn,
  continueAsNew,
  type Entry,
  FUNCTION,
  park,
  record,
  step,
  suspend,
} from '../../support/functions.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';

/* Addition: labels that durable functions set while they run, as entries of their journals. */

const check = onBothStores();
const once = { max_attempts: 1 };

type Labels = Readonly<Record<string, string>>;

const set = (identity: string, output: JsonValue): Entry => ({ identity, kind: 'labels', output });

const many = (count: number): Labels =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 'v']));

const labelsOf = async (svc: TestTenant, id: string) => (await svc.read(id)).labels;

interface Found {
  readonly executions: readonly { readonly execution_id: string; readonly labels: Labels }[];
}

const find = async (svc: TestTenant, q: string) => {
  const { body } = await svc.get<Found>(`/executions?q=${encodeURIComponent(q)}`);
  return body.executions.map(({ execution_id: id }) => id);
};

check('200: each request of a turn sets labels, and they stay', async (t, svc) => {
  const id = await svc.start(
    await svc.register({ nodes: { f: FUNCTION } }),
    {},
    { labels: { tier: 'gold', phase: 'new' } },
  );
  const first = await claimTurn(svc);
  const paying = [set('set-labels', { phase: 'paying' }), step('pay')];
  expectStatus(await record(svc, first, paying), 200);
  expectStatus(await record(svc, first, paying), 200);
  t.deepEqual(await labelsOf(svc, id), { tier: 'gold', phase: 'paying' });
  t.deepEqual(await find(svc, 'labels.phase = paying'), [id]);
  t.deepEqual(await find(svc, 'labels.phase = new'), []);

  const waiting = [set('set-labels#2', { phase: 'waiting', order: 'o-7' })];
  const event = { identity: 'paid', kind: 'event', correlation_key: 'paid' };
  await park(svc, first, [event], { expected_length: 2, entries: waiting });
  const shown = { tier: 'gold', phase: 'waiting', order: 'o-7' };
  t.deepEqual(await labelsOf(svc, id), shown);
  t.deepEqual(await find(svc, 'labels.order = o-7'), [id]);

  await svc.deliver(id, 'paid');
  const second = await claimTurn(svc);
  const next = [set('set-labels#3', { round: '1' })];
  expectStatus(await continueAsNew(svc, second, { entries: next }), 200);
  t.deepEqual(await labelsOf(svc, id), { ...shown, round: '1' });

  const third = await claimTurn(svc);
  const last = [set('set-labels', { round: '2', phase: 'shipped' })];
  const more = { expected_length: 0, entries: last, labels: { phase: 'done' } };
  expectStatus(await svc.complete(third, {}, more), 200);
  await svc.until(id, 'completed');
  const ended = { ...shown, round: '2', phase: 'done' };
  t.deepEqual(await labelsOf(svc, id), ended);
  t.deepEqual(await find(svc, 'labels.phase = done and labels.round = 2'), [id]);
});

check('200: a suspension that is resumed at once sets its labels', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const turn = await claimTurn(svc);
  await svc.deliver(id, 'paid');
  const event = { identity: 'paid', kind: 'event', correlation_key: 'paid' };
  const more = { entries: [set('set-labels', { phase: 'paid' })] };
  const answer = expectStatus(await suspend(svc, turn, [event], more), 200);
  t.like(answer, { resumed: true, length: 2 });
  t.deepEqual(await labelsOf(svc, id), { phase: 'paid' });
  t.deepEqual(await find(svc, 'labels.phase = paid'), [id]);
});

check('200: a child of the same request has the labels', async (t, svc) => {
  const call = { kind: 'python_fn', module: 'm', function: 'f' };
  const child = await svc.register({ workflow_id: 'child', nodes: { c: call } });
  const id = await svc.run({ workflow_id: 'parent', nodes: { f: FUNCTION } });
  const turn = await claimTurn(svc);
  const wait = { identity: 'child', kind: 'child', workflow_id: child, input: {} };
  await park(svc, turn, [wait], { entries: [set('set-labels', { order: 'o-7' })] });
  await svc.work('c');
  await svc.until(id, 'running');
  const found = await find(svc, 'labels.order = o-7');
  t.is(found.length, 2);
  t.true(found.includes(id));
});

check('200: labels of a function that fails stay, and its retry has them', async (t, svc) => {
  const id = await svc.run({ nodes: { f: { ...FUNCTION, retry_policy: once } } });
  const turn = await claimTurn(svc);
  expectStatus(await record(svc, turn, [step('pay'), set('set-labels', { phase: 'paid' })]), 200);
  const entries = [set('set-labels#2', { reason: 'no-stock' })];
  expectStatus(await svc.fail(turn, { expected_length: 2, entries }), 200);
  await svc.until(id, 'failed');
  t.deepEqual(await labelsOf(svc, id), { phase: 'paid', reason: 'no-stock' });

  const retried = await svc.post<{ readonly execution_id: string }>(`/executions/${id}/retry`, {});
  const next = retried.body.execution_id;
  const again = await claimTurn(svc);
  t.is(again.execution_id, next);
  t.deepEqual(again.journal.length, 3);
  const fixed = { expected_length: 3, entries: [set('set-labels#3', { reason: 'none' })] };
  expectStatus(await svc.complete(again, {}, fixed), 200);
  await svc.until(next, 'completed');
  t.deepEqual(await labelsOf(svc, next), { phase: 'paid', reason: 'none' });
  t.deepEqual(await find(svc, 'labels.reason = no-stock'), [id]);
});

check('400: labels that the execution has no room for are not recorded', async (t, svc) => {
  const w = await svc.register({ nodes: { f: { ...FUNCTION, retry_policy: once } } });
  const id = await svc.start(w, {}, { labels: many(15) });
  const turn = await claimTurn(svc);
  const entries = [set('set-labels', { one: '1' }), set('set-labels#2', { two: '2' })];
  const refused = await record(svc, turn, entries);
  t.is(refused.status, 400);
  t.regex(JSON.stringify(refused.body), /at most 16 labels/);
  const timer = { identity: 'sleep', kind: 'timer', delay_ms: 1 };
  t.is((await suspend(svc, turn, [timer], { entries })).status, 400);
  t.is((await continueAsNew(svc, turn, { entries })).status, 400);
  t.is((await svc.complete(turn, {}, { expected_length: 0, entries })).status, 400);
  const own = { expected_length: 0, entries: entries.slice(0, 1), labels: { two: '2' } };
  t.is((await svc.complete(turn, {}, own)).status, 400);
  t.deepEqual(await labelsOf(svc, id), many(15));

  expectStatus(await svc.fail(turn, { expected_length: 0, entries, error: 'full' }), 200);
  t.is((await svc.until(id, 'failed')).error, 'node f failed: full');
  t.deepEqual(await labelsOf(svc, id), { ...many(15), one: '1' });
  t.deepEqual(await find(svc, 'labels.one = 1'), [id]);
  t.deepEqual(await find(svc, 'labels.two = 2'), []);
});

check(
  '400: functions that set labels at once give no more than an execution has',
  async (t, svc) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const w = await svc.register({
      nodes: {
        all: { kind: { type: 'parallel' } },
        ...Object.fromEntries(names.map((name) => [name, FUNCTION])),
      },
      edges: names.map((to) => ({ from: 'all', to })),
    });
    const id = await svc.start(w, {}, { labels: many(14) });
    const turns = [];
    for (const _ of names) turns.push(await claimTurn(svc));
    const answers = await Promise.all(
      turns.map((turn) => record(svc, turn, [set('set-labels', { [turn.node_id]: 'x' })])),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    t.deepEqual(statuses, [200, 200, 400, 400, 400, 400]);
    const labels = await labelsOf(svc, id);
    t.is(Object.keys(labels).length, 16);
    for (const [name, value] of Object.entries(labels)) {
      t.deepEqual(await find(svc, `labels.${name} = ${value}`), [id]);
    }
  },
);

check(
  '201: a fork has the labels of its origin, and its journal sets none again',
  async (t, svc) => {
    const id = await svc.run({ nodes: { f: FUNCTION } });
    const turn = await claimTurn(svc);
    expectStatus(await record(svc, turn, [set('set-labels', { phase: 'paid' })]), 200);
    const { sequence } = await svc.untilEvent(id, 'StepRecorded');
    const shipped = { entries: [set('set-labels#2', { phase: 'shipped' })], expected_length: 1 };
    expectStatus(await svc.complete(turn, {}, shipped), 200);
    await svc.until(id, 'completed');

    const path = `/executions/${id}/fork`;
    const forked = await svc.post<{ readonly execution_id: string }>(path, { at: sequence });
    const fork = expectStatus(forked, 201).execution_id;
    const again = await claimTurn(svc);
    t.is(again.execution_id, fork);
    t.is(again.journal.length, 1);
    t.deepEqual(await labelsOf(svc, fork), { phase: 'shipped' });
    t.deepEqual(await find(svc, 'labels.phase = paid'), []);
  },
);

check('400: an entry of labels has labels as its output', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const turn = await claimTurn(svc);
  const objectRule = ' must be an object of names and texts, such as {"tier": "gold"}';
  const wrong: readonly (readonly [JsonValue, string])[] = [
    [null, objectRule],
    ['text', objectRule],
    [[], objectRule],
    [{ _a: 'v' }, '._a is no name of a label: it has at most 128 letters'],
    [{ a: '' }, '.a must not be empty: leave the label out'],
    [{ a: 'v'.repeat(129) }, '.a must be at most 128 characters: shorten it'],
    [{ a: 1 }, '.a must be text: give a number or a boolean as text'],
    [{ a: null }, '.a must be text: give a number or a boolean as text'],
    [many(17), ' are 17, and an execution has at most 16 labels: leave out 1'],
  ];
  for (const [output, problem] of wrong) {
    const { status, body } = await record(svc, turn, [set('set-labels', output)]);
    t.is(status, 400, JSON.stringify(output));
    const { error } = body as unknown as { readonly error: string };
    t.true(error.startsWith(`bad request: entries.0.output${problem}`), error);
  }
  t.is((await record(svc, turn, [{ identity: 'none', kind: 'labels' }])).status, 400);
  expectStatus(await record(svc, turn, [set('set-labels', {})]), 200);
  t.deepEqual(await labelsOf(svc, id), {});
});

check('409: a turn whose lease is gone sets no label', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const turn = await claimTurn(svc);
  const stale = { ...turn, lease_fence: turn.lease_fence + 1 };
  t.is((await record(svc, stale, [set('set-labels', { phase: 'paid' })])).status, 409);
  t.deepEqual(await labelsOf(svc, id), {});
});
