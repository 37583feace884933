import { onBothStores } from '../../support/both-stores.ts';
import {
  claimTurn,
  continueAsNew,
  FUNCTION,
  hasTurn,
  park,
  plain,
  record,
  step,
  suspend,
} from '../../support/functions.ts';
import { expectStatus } from '../../support/tenant.ts';

/* Durable functions that continue as new: another visit of the node, with a new input. */

const check = onBothStores();

check('200: a function continues as another visit, with its input alone', async (t, svc) => {
  const node = { ...FUNCTION, queue: 'slow', output_key: 'f' };
  const id = await svc.run({ nodes: { f: node } }, { cursor: 0 });
  const first = await claimTurn(svc, { queues: ['slow'] });
  const body = { entries: [step('poll', 7)], input: { cursor: 7 } };
  const answer = expectStatus(await continueAsNew(svc, first, body), 200);
  t.deepEqual(answer, { continued: true, work_item_id: first.id });

  const second = await claimTurn(svc, { queues: ['slow'] });
  t.not(second.id, first.id);
  t.not(second.idempotency_key, first.idempotency_key);
  t.like(second, { turn: 0, attempt: 0, mode: 'run', execution_id: id, node_id: 'f' });
  t.deepEqual(second.payload['input'], { cursor: 7 });
  t.deepEqual(second.journal, { entries: [], length: 0, next: null });

  expectStatus(await record(svc, second, [step('poll', 8)]), 200);
  expectStatus(await svc.complete(second, { at: 8 }, { expected_length: 1 }), 200);
  t.deepEqual((await svc.until(id, 'completed')).state, { cursor: 0, f: { at: 8 } });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled f',
    'StepRecorded f',
    'NodeContinuedAsNew f',
    'NodeScheduled f#1',
    'StepRecorded f#1',
    'ToolCallCompleted f#1',
    'NodeCompleted f#1',
    'WorkflowCompleted',
  ]);
});

check('200: a continuation that is sent again has the same answer', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const first = await claimTurn(svc);
  const body = { entries: [step('poll')], input: { n: 1 } };
  const answer = expectStatus(await continueAsNew(svc, first, body), 200);
  t.deepEqual(expectStatus(await continueAsNew(svc, first, body), 200), answer);
  const second = await claimTurn(svc);
  t.deepEqual(expectStatus(await continueAsNew(svc, first, body), 200), answer);
  const others = [
    { ...body, input: { n: 2 } },
    { ...body, entries: [] },
    { ...body, lease_fence: first.lease_fence + 1_000 },
  ];
  for (const other of others) {
    const refused = await continueAsNew(svc, first, other);
    t.is(refused.status, 409);
    t.like(refused.body, { continued: false, reason: 'stale_fence' });
  }
  expectStatus(await svc.complete(second), 200);
  await svc.until(id, 'completed');
  t.is((await svc.story(id)).filter((told) => told === 'NodeContinuedAsNew f').length, 1);
  t.is((await continueAsNew(svc, first, body)).status, 409, 'the execution is over');
});

check('409: nothing is continued by a stale fence, or on another journal', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const first = await claimTurn(svc);
  await park(svc, first, [{ identity: 'nap', kind: 'timer', delay_ms: 1 }]);
  const second = await claimTurn(svc, { worker_id: 'worker-2' });
  const before = await svc.events(id);
  t.is((await continueAsNew(svc, first, { expected_length: 1 })).status, 409);
  const conflict = await continueAsNew(svc, second, { expected_length: 0, entries: [step('a')] });
  t.is(conflict.status, 409);
  t.like(conflict.body, { continued: false, reason: 'journal_conflict', length: 1 });
  t.is((await continueAsNew(svc, second, { input: 'text' })).status, 400);
  t.deepEqual(await svc.events(id), before);
  expectStatus(await continueAsNew(svc, second), 200);
  for (const late of [
    await record(svc, second, [step('late')]),
    await suspend(svc, second, [{ identity: 'nap2', kind: 'timer', delay_ms: 1 }]),
    await svc.complete(second),
    await svc.fail(second),
  ]) {
    t.is(late.status, 409);
  }
  t.is((await claimTurn(svc)).turn, 0);
});

check('400: a function does not continue while compensations are registered', async (t, svc) => {
  const node = { ...FUNCTION, retry_policy: { max_attempts: 1 } };
  const id = await svc.run({ nodes: { f: node } });
  const item = await claimTurn(svc);
  expectStatus(await record(svc, item, [{ identity: 'refund', kind: 'on_rollback' }]), 200);
  const before = await svc.events(id);
  const known = await continueAsNew(svc, item, { expected_length: 1 });
  t.is(known.status, 400);
  t.like(known.body, { compensations: ['refund'] });
  const entries = [{ identity: 'unship', kind: 'on_rollback' }];
  const more = await continueAsNew(svc, item, { expected_length: 1, entries });
  t.like(more.body, { compensations: ['refund', 'unship'] });
  t.deepEqual(await svc.events(id), before);

  expectStatus(await svc.fail(item, { expected_length: 1 }), 200);
  const undoing = await claimTurn(svc);
  t.is(undoing.mode, 'rollback');
  const undo = [{ identity: 'rollback/refund', kind: 'rollback', output: null }];
  t.is((await continueAsNew(svc, undoing, { entries: undo })).status, 400);
  expectStatus(await svc.complete(undoing, {}, { entries: undo, expected_length: 1 }), 200);
  await svc.until(id, 'failed');
});

check('open waits end with the visit, and an event waits for the next', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const first = await claimTurn(svc);
  await park(svc, first, [
    { identity: 'nap', kind: 'timer', delay_ms: 1 },
    { identity: 'paid', kind: 'event', correlation_key: 'payment', timeout_ms: 3_600_000 },
    { identity: 'ok', kind: 'approval' },
  ]);
  const second = await claimTurn(svc);
  await svc.deliver(id, 'payment', { amount: 3 });
  expectStatus(await continueAsNew(svc, second, { input: { n: 1 } }), 200);
  const third = await claimTurn(svc);
  const approvals = await svc.get<{ pending: unknown[] }>(`/executions/${id}/approvals`);
  t.deepEqual(approvals.body.pending, []);
  const paid = { identity: 'paid', kind: 'event', correlation_key: 'payment' };
  const answer = expectStatus(await suspend(svc, third, [paid]), 200);
  t.like(answer, { resumed: true, length: 1 });
  t.deepEqual(plain({ entries: answer.entries ?? [] }), [
    { identity: 'paid', kind: 'event', output: { amount: 3 } },
  ]);
  expectStatus(await svc.complete(third, {}, { expected_length: 1 }), 200);
  await svc.until(id, 'completed');
});

check('200: a large input leaves as an artifact, and is claimed whole', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const input = { text: 'x'.repeat(70_000), small: 1 };
  const first = await claimTurn(svc);
  expectStatus(await continueAsNew(svc, first, { input }), 200);
  t.deepEqual(expectStatus(await continueAsNew(svc, first, { input }), 200).continued, true);
  t.deepEqual((await claimTurn(svc)).payload['input'], input);
  const continued = (await svc.events(id)).find(({ kind }) => kind === 'NodeContinuedAsNew');
  t.true(JSON.stringify(continued).length < 2_000);
});

check('a cancel ends a function that has continued', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  expectStatus(await continueAsNew(svc, await claimTurn(svc)), 200);
  const second = await claimTurn(svc);
  t.is((await svc.cancel(id)).status, 200);
  await svc.until(id, 'cancelled');
  t.is((await continueAsNew(svc, second)).status, 409);
  t.false(await hasTurn(svc));
});
