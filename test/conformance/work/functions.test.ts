import { onBothStores } from '../../support/both-stores.ts';
import {
  claimTurn,
  FUNCTION,
  hasTurn,
  type Journal,
  park,
  plain,
  record,
  step,
  type TurnAnswer,
} from '../../support/functions.ts';
import { expectStatus } from '../../support/tenant.ts';
import { masked } from '../../support/told.ts';

/* Durable functions: journal, turns and settling. See docs/reference/function-protocol.md. */

const check = onBothStores();

check('200: a claim gives the first turn with an empty journal', async (t, svc) => {
  await svc.run({ nodes: { f: FUNCTION } }, { order: 7 });
  const item = await claimTurn(svc, { tools: ['shop.*'] });
  t.is(item.queue_type, 'function');
  t.like(item.payload, { function: 'shop.order', input: { order: 7 } });
  t.is(item.turn, 0);
  t.is(item.attempt, 0);
  t.is(item.mode, 'run');
  t.is(item.cancel_requested, false);
  t.deepEqual(item.journal, { entries: [], length: 0, next: null });
});

check('200: steps are recorded, and a completion takes more of them along', async (t, svc) => {
  const id = await svc.run({ nodes: { f: { ...FUNCTION, output_key: 'f' } } });
  const item = await claimTurn(svc);
  const recorded = expectStatus(await record(svc, item, [step('charge', { paid: 3 })]), 200);
  t.deepEqual(recorded, { recorded: true, work_item_id: item.id, length: 1 });
  const more = {
    expected_length: 1,
    entries: [step('ship'), { identity: 'now', kind: 'value', output: 5 }],
  };
  expectStatus(await svc.complete(item, { done: true }, more), 200);
  const { state } = await svc.until(id, 'completed');
  t.deepEqual(state, { f: { done: true } });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled f',
    'StepRecorded f',
    'StepRecorded f',
    'ToolCallCompleted f',
    'NodeCompleted f',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('200: a function that suspends on a timer comes back with the next turn', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const first = await claimTurn(svc);
  const entries = [step('before', 1)];
  await park(svc, first, [{ identity: 'nap', kind: 'timer', delay_ms: 50 }], { entries });
  const second = await claimTurn(svc);
  t.is(second.id, first.id);
  t.deepEqual([second.turn, second.attempt], [1, 0]);
  t.true(second.lease_fence > first.lease_fence);
  t.deepEqual(plain(second.journal), [
    { identity: 'before', kind: 'step', output: 1 },
    { identity: 'nap', kind: 'timer', output: null },
  ]);
  expectStatus(await svc.complete(second, {}, { expected_length: 2 }), 200);
  await svc.until(id, 'completed');
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled f',
    'StepRecorded f',
    'NodeSuspended f',
    'TimerFired f',
    'StepRecorded f',
    'NodeResumed f',
    'ToolCallCompleted f',
    'NodeCompleted f',
    'WorkflowCompleted',
  ]);
});

check('200: a journal is read page by page, and a claim gives its first page', async (t, svc) => {
  await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  for (let from = 0; from < 250; from += 50) {
    const entries = Array.from({ length: 50 }, (_, index) =>
      step(`s${from + index}`, from + index),
    );
    expectStatus(await record(svc, item, entries, { expected_length: from }), 200);
  }
  const path = `/work-items/${item.id}/journal?lease_fence=${item.lease_fence}`;
  const page = expectStatus(await svc.get<Journal>(`${path}&from=120&limit=3`), 200);
  t.deepEqual([page.length, page.next], [250, 123]);
  t.deepEqual(
    page.entries.map(({ identity, position }) => [identity, position]),
    [120, 121, 122].map((at) => [`s${at}`, at]),
  );
  t.regex(page.entries[0]?.recorded_at ?? '', /^\d{4}-.*Z$/);
  t.like(expectStatus(await svc.get<Journal>(`${path}&from=250`), 200), {
    entries: [],
    next: null,
  });
  t.is((await svc.get(`${path}&from=251`)).status, 400);
  t.is((await svc.get(`/work-items/${item.id}/journal?lease_fence=1`)).status, 409);
  t.is((await svc.get(`/work-items/${item.id}/journal`)).status, 400);

  await park(svc, item, [{ identity: 'nap', kind: 'timer', delay_ms: 1 }], {
    expected_length: 250,
  });
  const { journal } = await claimTurn(svc);
  t.deepEqual([journal.entries.length, journal.length, journal.next], [200, 251, 200]);
});

check('200: steps that are sent again are recorded once', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  const entries = [step('a', { n: 1 }), step('b')];
  const first = expectStatus(await record(svc, item, entries), 200);
  t.deepEqual(expectStatus(await record(svc, item, entries), 200), first);
  expectStatus(await record(svc, item, [step('c')], { expected_length: 2 }), 200);
  t.deepEqual(expectStatus(await record(svc, item, entries), 200), first);
  t.is((await svc.story(id)).filter((told) => told === 'StepRecorded f').length, 2);
});

check('409: a journal that differs from the worker’s gives its length', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  expectStatus(await record(svc, item, [step('a', 1)]), 200);
  const before = await svc.events(id);
  const told = { recorded: false, reason: 'journal_conflict', length: 1 };
  for (const [entries, expected_length] of [
    [[step('a', 2)], 0],
    [[step('b')], 0],
    [[step('a', 1), step('b')], 0],
    [[step('a', 1)], 1],
    [[step('b')], 2],
  ] as const) {
    const answer = await record(svc, item, entries, { expected_length });
    t.is(answer.status, 409);
    t.like(answer.body, told);
  }
  t.is((await svc.complete(item, {}, { expected_length: 0 })).status, 409);
  t.is((await svc.fail(item, { expected_length: 5 })).status, 409);
  t.deepEqual(await svc.events(id), before);
});

check('409: a suspension from behind the end of the journal writes nothing', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  expectStatus(await record(svc, item, [step('a'), step('b')]), 200);
  const before = await svc.events(id);
  const suspend = (entries: readonly object[], expected_length: number) =>
    svc.post<TurnAnswer>(`/work-items/${item.id}/suspend`, {
      lease_fence: item.lease_fence,
      expected_length,
      entries,
      waits: [{ identity: 'nap', kind: 'timer', delay_ms: 60_000 }],
    });
  const answer = await suspend([step('a')], 0);
  t.is(answer.status, 409);
  t.like(answer.body, { suspended: false, reason: 'journal_conflict', length: 2 });
  t.deepEqual(await svc.events(id), before);
  t.like(expectStatus(await suspend([step('b')], 1), 200), { suspended: true, length: 2 });
});

check('409: a stale fence writes nothing, in any call', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const first = await claimTurn(svc);
  await park(svc, first, [{ identity: 'nap', kind: 'timer', delay_ms: 1 }]);
  const second = await claimTurn(svc, { worker_id: 'worker-2' });
  const before = await svc.events(id);
  const wait = { identity: 'other', kind: 'timer', delay_ms: 1 };
  const late: readonly { readonly status: number; readonly body: TurnAnswer }[] = [
    await record(svc, first, [step('a')], { expected_length: 1 }),
    await svc.post(`/work-items/${first.id}/suspend`, {
      lease_fence: first.lease_fence,
      expected_length: 1,
      waits: [wait],
    }),
    await svc.complete(first),
    await svc.fail(first),
  ];
  for (const { status, body } of late) {
    t.is(status, 409);
    t.regex(body.reason ?? '', /^stale.?(lease_)?fence/);
  }
  t.deepEqual(await svc.events(id), before);
  expectStatus(await svc.complete(second), 200);
  await svc.until(id, 'completed');
});

check('400: requests beyond the limits and of other items are refused', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  const many = Array.from({ length: 101 }, (_, index) => step(`s${index}`));
  const timer = { kind: 'timer', delay_ms: 1 };
  const before = await svc.events(id);
  for (const answer of [
    await record(svc, item, many),
    await record(svc, item, []),
    await record(svc, item, [step('a'), step('a')]),
    await record(svc, item, [step('x'.repeat(513))]),
    await record(svc, item, [{ identity: 'a', kind: 'timer', output: null }]),
    await record(svc, item, [{ identity: 'rollback/a', kind: 'rollback' }]),
    await svc.post(`/work-items/${item.id}/suspend`, {
      lease_fence: item.lease_fence,
      expected_length: 0,
      waits: many.map(({ identity }) => ({ identity, ...timer })),
    }),
    await svc.post(`/work-items/${item.id}/suspend`, {
      lease_fence: item.lease_fence,
      expected_length: 0,
      waits: [{ identity: 'a', kind: 'timer' }],
    }),
  ]) {
    t.is(answer.status, 400, JSON.stringify(answer.body));
  }
  t.deepEqual(await svc.events(id), before);
  await svc.run({
    workflow_id: 'other',
    nodes: { a: { kind: 'python_fn', module: 'm', function: 'f' } },
  });
  const other = await svc.claim();
  const foreign = await svc.post(`/work-items/${other.id}/steps`, {
    lease_fence: other.lease_fence,
    expected_length: 0,
    entries: [step('a')],
  });
  t.is(foreign.status, 400);
  const unknown = '/work-items/01900000-0000-7000-8000-000000000000/steps';
  const body = { lease_fence: 1, expected_length: 0, entries: [step('a')] };
  t.is((await svc.post(unknown, body)).status, 404);
});

check('200: a large output leaves as an artifact, and is read whole', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  const output = { text: 'x'.repeat(70_000), small: 1 };
  const entries = [step('large', output)];
  const first = expectStatus(await record(svc, item, entries), 200);
  t.deepEqual(expectStatus(await record(svc, item, entries), 200), first);
  const events = await svc.events(id);
  const stored = JSON.stringify(events.find(({ kind }) => kind === 'StepRecorded'));
  t.true(stored.length < 2_000, stored);
  await park(svc, item, [{ identity: 'nap', kind: 'timer', delay_ms: 1 }], { expected_length: 1 });
  const { journal } = await claimTurn(svc);
  t.deepEqual(journal.entries[0]?.output, output);
});

check('a failed attempt keeps its journal, and the next is another turn', async (t, svc) => {
  const retry_policy = { max_attempts: 2, initial_delay_ms: 1, jitter: false };
  const id = await svc.run({ nodes: { f: { ...FUNCTION, retry_policy } } });
  const first = await claimTurn(svc);
  const entries = [step('a', 1)];
  expectStatus(await svc.fail(first, { expected_length: 0, entries }), 200);
  const second = await claimTurn(svc);
  t.deepEqual([second.id, second.turn, second.attempt], [first.id, 1, 1]);
  t.deepEqual(plain(second.journal), [...entries]);
  expectStatus(await svc.fail(second), 200);
  t.regex((await svc.until(id, 'failed')).error ?? '', /it broke/);
  t.false(await hasTurn(svc));
  return svc.story(id);
});

check('200: a final failure leaves no attempt, under any policy', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const failed = expectStatus(await svc.fail(await claimTurn(svc), { final: true }), 200);
  t.like(failed, { retryable: false, attempt: 0 });
  await svc.until(id, 'failed');
});

check(
  '400: an output that does not satisfy its schema leaves the turn as it was',
  async (t, svc) => {
    const output_schema = { type: 'object', required: ['ok'] };
    const id = await svc.run({ nodes: { f: { ...FUNCTION, output_schema } } });
    const item = await claimTurn(svc);
    t.is((await svc.complete(item, { no: 1 })).status, 400);
    expectStatus(await svc.complete(item, { ok: 1 }), 200);
    await svc.until(id, 'completed');
  },
);

check('only the holder of the fence records, of two workers with one item', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  // The same turn in parallel, like a restarted worker beside its predecessor.
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => record(svc, item, [step(`by-${index}`)])),
  );
  t.is(answers.filter(({ status }) => status === 200).length, 1);
  t.is(answers.filter(({ status }) => status === 409).length, 7);
  t.is((await svc.story(id)).filter((told) => told === 'StepRecorded f').length, 1);
});

check('10 000 entries are the most of a visit', async (t, svc) => {
  t.timeout(120_000);
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  for (let from = 0; from < 10_000; from += 100) {
    const entries = Array.from({ length: 100 }, (_, index) => step(`step-${from + index}`, from));
    expectStatus(await record(svc, item, entries, { expected_length: from }), 200);
  }
  const beyond = await record(svc, item, [step('more')], { expected_length: 10_000 });
  t.is(beyond.status, 400);
  t.regex(beyond.body.error ?? '', /10000 entries/);
  expectStatus(await svc.complete(item, {}, { expected_length: 10_000 }), 200);
  await svc.until(id, 'completed');
});
