import test from 'ava';

import { defineTool, NonRetryableError, type Labels, type ToolContext } from 'svc-sdk/worker';

import { LabelSet } from '../../../sdk/typescript/src/worker/labels.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { startWorker } from '../support/with-worker.ts';

/* Labels that tools set with their results. */

const check = onBothStores();

const SCORE = { kind: 'python_fn', module: 'risk', function: 'score' };

const many = (count: number, prefix = 'n'): Labels =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'v']));

check('labels of a tool go with its result, and find the execution', async (t, tenant, place) => {
  const score = defineTool('risk.score', (_input, { setLabels }) => {
    setLabels({ risk: 'low', order: 'o-7' });
    setLabels({ risk: 'high' });
    return { score: 98 };
  });
  startWorker(t, { tenant, place, options: { tools: [score] } });
  const workflowId = await tenant.register({ nodes: { score: SCORE } });
  const id = await tenant.start(workflowId, {}, { labels: { tier: 'gold', risk: 'unknown' } });
  const { labels } = await tenant.until(id, 'completed');
  t.deepEqual(labels, { tier: 'gold', risk: 'high', order: 'o-7' });
  const q = encodeURIComponent('labels.risk = high and labels.order = o-7');
  const { body } = await tenant.get<{ readonly executions: readonly object[] }>(
    `/executions?q=${q}`,
  );
  t.like(body, { executions: [{ execution_id: id }] });
});

check('an attempt that fails sets no label', async (t, tenant, place) => {
  const score = defineTool('risk.score', (_input, { attempt, setLabels }) => {
    setLabels({ [`attempt-${attempt}`]: 'ran' });
    if (attempt === 0) throw new Error('not yet');
    return {};
  });
  startWorker(t, { tenant, place, options: { tools: [score] } });
  const retry_policies = { soon: { max_attempts: 2, initial_delay: '1ms' } };
  const id = await tenant.run({
    retry_policies,
    nodes: { score: { ...SCORE, retry_policy: 'soon' } },
  });
  t.deepEqual((await tenant.until(id, 'completed')).labels, { 'attempt-1': 'ran' });
});

check(
  'labels that the execution has no room for fail the attempt with the reason',
  async (t, tenant, place) => {
    const score = defineTool('risk.score', (_input, { setLabels }) => {
      setLabels({ one: '1', two: '2' });
      return {};
    });
    startWorker(t, { tenant, place, options: { tools: [score] } });
    const workflowId = await tenant.register({
      nodes: { score: { ...SCORE, retry_policy: 'no_retry' } },
    });
    const id = await tenant.start(workflowId, {}, { labels: many(15) });
    const { error, labels } = await tenant.until(id, 'failed');
    t.regex(error ?? '', /at most 16 labels/);
    t.deepEqual(labels, many(15));
  },
);

check('a label that no execution can have fails the tool', async (t, tenant, place) => {
  const score = defineTool('risk.score', (_input, { setLabels }: ToolContext) => {
    setLabels({ 'the risk': 'high' });
    return {};
  });
  startWorker(t, { tenant, place, options: { tools: [score] } });
  const retry_policies = { patient: { max_attempts: 3, non_retryable_on: ['NonRetryableError'] } };
  const id = await tenant.run({
    retry_policies,
    nodes: { score: { ...SCORE, retry_policy: 'patient' } },
  });
  await tenant.until(id, 'failed');
  const last = (await tenant.events(id)).findLast(({ kind }) => kind === 'NodeFailed');
  t.like(last?.payload, { error_class: 'NonRetryableError', attempt: 0 });
  t.regex(JSON.stringify(last?.payload), /the name of a label .*the risk/);
});

test('labels that the runtime refuses are refused where they are set', (t) => {
  const wrong: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ '': 'v' }, /name of a label/],
    [{ _a: 'v' }, /name of a label .*: "_a"/],
    [{ 'a b': 'v' }, /name of a label/],
    [{ ['a'.repeat(129)]: 'v' }, /name of a label/],
    [{ a: '' }, /"a" must have 1 to 128 characters/],
    [{ a: 'v'.repeat(129) }, /"a" must have 1 to 128 characters/],
    [{ a: 'v\0' }, /without U\+0000/],
    [{ a: 1 }, /"a" must be text, not number/],
    [{ a: undefined }, /"a" must be text, not undefined/],
    [many(15), /at most 16 labels: 17 are set/],
  ];
  for (const [labels, message] of wrong) {
    const set = new LabelSet();
    set.set({ kept: 'v' });
    const refused = { ok: 'v', ...labels } as Labels;
    t.throws(() => set.set(refused), { instanceOf: NonRetryableError, message }, message.source);
    t.deepEqual(set.member, { labels: { kept: 'v' } });
  }
});

test('as many labels as an execution can have, of the longest names and values, are set', (t) => {
  const set = new LabelSet();
  t.deepEqual(set.member, {});
  set.set({});
  t.deepEqual(set.member, {});
  const longest = { ['a'.repeat(128)]: 'v'.repeat(128), 'A.b:c/d-e_1': 'ü' };
  set.set({ ...many(8), ...longest });
  set.set(many(14));
  t.deepEqual(set.member, { labels: { ...many(14), ...longest } });
  t.throws(() => set.set({ more: 'v' }), { message: /17 are set/ });
});
