import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import {
  claimTurn,
  type Entry,
  type FunctionItem,
  FUNCTION,
  hasTurn,
  park,
  plain,
  record,
  step,
  suspend,
} from '../../support/functions.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';
import type { Reply } from '../../support/http.ts';
import type { DeadLetter, ItemAnswer } from '../../support/wire.ts';

/* Durable functions: compensations after a failure or a cancel, and leases that end. */

const check = onBothStores({ env: { SVC_SCHEDULER_LEASE_SECONDS: '2' } });

const once = { max_attempts: 1 };
const DONE: readonly Entry[] = [
  step('charge', 1),
  { identity: 'refund', kind: 'on_rollback' },
  step('ship', 2),
  { identity: 'unship', kind: 'on_rollback' },
];
const undo = (identity: string): Entry => ({
  identity: `rollback/${identity}`,
  kind: 'rollback',
  output: null,
});

/** A function whose two steps have compensations. */
async function halfDone(svc: TestTenant, ir: object = {}): Promise<[string, FunctionItem]> {
  const id = await svc.run({ nodes: { f: { ...FUNCTION, retry_policy: once } }, ...ir });
  const item = await claimTurn(svc);
  expectStatus(await record(svc, item, DONE), 200);
  return [id, item];
}

async function deadLetters(svc: TestTenant): Promise<readonly DeadLetter[]> {
  const path = '/work-items?status=dead_lettered';
  return (await svc.get<{ work_items: DeadLetter[] }>(path)).body.work_items;
}

check('a failure is followed by a rollback, and then the node fails with it', async (t, svc) => {
  const [id, item] = await halfDone(svc);
  expectStatus(await svc.fail(item, { error: 'no stock', expected_length: 4 }), 200);
  const undoing = await claimTurn(svc);
  t.deepEqual(
    [undoing.id, undoing.mode, undoing.turn, undoing.attempt],
    [item.id, 'rollback', 1, 0],
  );
  t.is(undoing.cancel_requested, false);
  t.deepEqual(plain(undoing.journal).length, 4);
  t.is((await svc.complete(undoing)).status, 400);
  t.is((await record(svc, undoing, [step('more')])).status, 400);
  expectStatus(await record(svc, undoing, [undo('unship')]), 200);
  const more = { entries: [undo('refund')], expected_length: 5 };
  expectStatus(await svc.complete(undoing, { ignored: true }, more), 200);
  const execution = await svc.until(id, 'failed');
  t.regex(execution.error ?? '', /no stock/);
  t.deepEqual(await deadLetters(svc), []);
  t.false(await hasTurn(svc));
  const story = await svc.story(id);
  t.deepEqual(story, [
    'WorkflowStarted',
    'NodeScheduled f',
    'StepRecorded f',
    'NodeFailed f',
    'RollbackScheduled f',
    'StepRecorded f',
    'StepRecorded f',
    'NodeFailed f',
    'WorkflowFailed',
  ]);
});

check('a cancelled function is rolled back before its execution ends', async (t, svc) => {
  const [id, item] = await halfDone(svc);
  await park(svc, item, [{ identity: 'nap', kind: 'timer', delay_ms: 3_600_000 }], {
    expected_length: 4,
  });
  t.is((await svc.cancel(id)).status, 200);
  t.is((await svc.read(id)).status, 'running');
  const undoing = await claimTurn(svc);
  t.deepEqual([undoing.mode, undoing.cancel_requested], ['rollback', true]);
  const beat = await svc.post<{ cancel_requested?: boolean }>(`/work-items/${item.id}/heartbeat`, {
    worker_id: 'worker-1',
    lease_fence: undoing.lease_fence,
  });
  t.is(expectStatus(beat, 200).cancel_requested, true);
  t.is((await svc.cancel(id)).status, 200);
  const entries = [undo('unship'), undo('refund')];
  expectStatus(await svc.complete(undoing, {}, { entries, expected_length: 4 }), 200);
  await svc.until(id, 'cancelled');
  t.deepEqual((await svc.story(id)).slice(-6), [
    'NodeCancelled f',
    'WorkflowEnding',
    'RollbackScheduled f',
    'StepRecorded f',
    'NodeCancelled f',
    'WorkflowCancelled',
  ]);
});

check('a cancel while a worker has the item takes its fence, and rolls back', async (t, svc) => {
  const [id, item] = await halfDone(svc);
  t.is((await svc.cancel(id)).status, 200);
  t.is((await record(svc, item, [step('late')], { expected_length: 4 })).status, 409);
  const undoing = await claimTurn(svc);
  t.is(undoing.mode, 'rollback');
  const entries = [undo('unship'), undo('refund')];
  expectStatus(await svc.complete(undoing, {}, { entries }), 200);
  await svc.until(id, 'cancelled');
});

check('a cancel without compensations ends the execution at once', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  await park(svc, item, [{ identity: 'nap', kind: 'timer', delay_ms: 3_600_000 }]);
  t.is((await svc.cancel(id)).status, 200);
  t.is((await svc.read(id)).status, 'cancelled');
  t.false(await hasTurn(svc));
});

check('a rollback that fails permanently becomes a dead letter', async (t, svc) => {
  const [id, item] = await halfDone(svc);
  expectStatus(await svc.fail(item), 200);
  const undoing = await claimTurn(svc);
  expectStatus(await svc.fail(undoing, { error: 'refund refused', final: true }), 200);
  const execution = await svc.until(id, 'failed');
  t.regex(execution.error ?? '', /the rollback failed: refund refused/);
  const letters = await deadLetters(svc);
  t.is(letters.length, 1);
  t.like(letters[0], { id: item.id, attempt: 0 });
});

check('a rollback has attempts of its own, and keeps what it has undone', async (t, svc) => {
  const retry_policy = { max_attempts: 2, initial_delay_ms: 1, jitter: false };
  const [id, item] = await halfDone(svc, { nodes: { f: { ...FUNCTION, retry_policy } } });
  expectStatus(await svc.fail(item, { final: true }), 200);
  const first = await claimTurn(svc);
  const entries = [undo('unship')];
  expectStatus(await svc.fail(first, { entries, expected_length: 4 }), 200);
  const second = await claimTurn(svc);
  t.deepEqual([second.mode, second.turn, second.attempt], ['rollback', 2, 1]);
  t.is(second.journal.length, 5);
  expectStatus(await svc.complete(second, {}, { entries: [undo('refund')] }), 200);
  await svc.until(id, 'failed');
});

check('a function rolls back when another node ends the execution', async (t, svc) => {
  const f = { ...FUNCTION, retry_policy: once };
  const other = { kind: 'python_fn', module: 'm', function: 'f', retry_policy: once };
  const start = { kind: 'parallel', branches: ['f', 'other'] };
  const [id, item] = await halfDone(svc, { start_node: 'start', nodes: { start, f, other } });
  expectStatus(await svc.fail(await svc.claim(), { error: 'the other broke' }), 200);
  const undoing = await claimTurn(svc);
  t.deepEqual([undoing.id, undoing.mode], [item.id, 'rollback']);
  const entries = [undo('unship'), undo('refund')];
  expectStatus(await svc.complete(undoing, {}, { entries }), 200);
  t.regex((await svc.until(id, 'failed')).error ?? '', /the other broke/);
});

check('a lease that lapses keeps the journal, and the next turn continues', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const lost = await claimTurn(svc, { worker_id: 'silent' });
  expectStatus(await record(svc, lost, [step('a', 1)]), 200);
  const found = await claimTurn(svc, { worker_id: 'other' });
  t.deepEqual([found.id, found.turn, found.attempt], [lost.id, 1, 1]);
  t.deepEqual(plain(found.journal), [step('a', 1)]);
  t.is((await record(svc, lost, [step('b')], { expected_length: 1 })).status, 409);
  expectStatus(await record(svc, found, [step('b')]), 200);
  expectStatus(await svc.complete(found, {}, { expected_length: 2 }), 200);
  await svc.until(id, 'completed');
});

const EARLY = { identity: 'early', kind: 'event', correlation_key: 'early' };
const LATE = { entries: [step('late')], expected_length: 0 };
/** The requests of a worker. After the first refusal, svc forgets the lease. */
const REQUESTS = {
  steps: (svc, item) => record(svc, item, LATE.entries),
  // The event has arrived, so the turn would continue and the lease would not be settled.
  'a suspension': (svc, item) => suspend(svc, item, [EARLY], LATE),
  'a completion': (svc, item) => svc.complete(item, {}, LATE),
  'a failure': (svc, item) => svc.fail(item, LATE),
} as const satisfies Record<
  string,
  (svc: TestTenant, item: FunctionItem) => Promise<Reply<ItemAnswer>>
>;

for (const [what, send] of Object.entries(REQUESTS)) {
  check(`409: a lapsed lease records nothing before the next claim: ${what}`, async (t, svc) => {
    const id = await svc.run({ nodes: { f: FUNCTION } });
    const lost = await claimTurn(svc, { worker_id: 'silent' });
    const event = { correlation_key: 'early', payload: {} };
    expectStatus(await svc.post(`/executions/${id}/external-event`, event), 200);
    await eventually(async () => {
      if (!(await svc.story(id)).includes('RetryScheduled f')) throw new Error('it has not lapsed');
    });
    const before = await svc.events(id);
    const { status, body } = await send(svc, lost);
    t.is(status, 409);
    t.regex(body.reason ?? '', /^stale.?(lease_)?fence/);
    t.deepEqual(await svc.events(id), before);
  });
}

check('a function that every worker loses is rolled back without a dead letter', async (t, svc) => {
  const [id, item] = await halfDone(svc);
  const undoing = await claimTurn(svc);
  t.deepEqual([undoing.id, undoing.mode], [item.id, 'rollback']);
  t.deepEqual(await deadLetters(svc), []);
  const entries = [undo('unship'), undo('refund')];
  expectStatus(await svc.complete(undoing, {}, { entries }), 200);
  t.regex((await svc.until(id, 'failed')).error ?? '', /the lease lapsed/);
});

check('a retry after a rollback starts from the beginning, under another key', async (t, svc) => {
  const [id, item] = await halfDone(svc);
  expectStatus(await svc.fail(item), 200);
  const undoing = await claimTurn(svc);
  const entries = [undo('unship'), undo('refund')];
  expectStatus(await svc.complete(undoing, {}, { entries }), 200);
  await svc.until(id, 'failed');
  expectStatus(await svc.post(`/executions/${id}/retry`, {}), 201);
  const next = await claimTurn(svc);
  t.deepEqual([next.journal.length, next.mode, next.turn], [0, 'run', 0]);
  t.not(next.idempotency_key, item.idempotency_key);
});
