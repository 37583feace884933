import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import {
  claimTurn,
  type FunctionItem,
  FUNCTION,
  hasTurn,
  type Journal,
  park,
  plain,
  record,
  step,
  suspend,
} from '../../support/functions.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';

/* Durable functions: their waits, and how they resume. */

const check = onBothStores();

async function begin(svc: TestTenant, ir: JsonObject = {}): Promise<[string, FunctionItem]> {
  const id = await svc.run({ nodes: { f: FUNCTION }, ...ir });
  return [id, await claimTurn(svc)];
}

async function journalOf(svc: TestTenant, item: FunctionItem): Promise<Journal> {
  const path = `/work-items/${item.id}/journal?lease_fence=${item.lease_fence}`;
  return expectStatus(await svc.get<Journal>(path), 200);
}

const paid = { identity: 'paid', kind: 'event', correlation_key: 'payment' };
const soon = { identity: 'soon', kind: 'timer', delay_ms: 30 };
const late = { identity: 'late', kind: 'timer', delay_ms: 3_600_000 };

check('an external event wakes a function with its payload', async (t, svc) => {
  const [id, item] = await begin(svc);
  await park(svc, item, [paid]);
  await svc.until(id, 'paused');
  t.false(await hasTurn(svc));
  t.true((await svc.deliver(id, 'payment', { amount: 3 })).accepted);
  const next = await claimTurn(svc);
  t.deepEqual([next.turn, next.attempt], [1, 0]);
  t.deepEqual(plain(next.journal), [{ identity: 'paid', kind: 'event', output: { amount: 3 } }]);
  expectStatus(await svc.complete(next), 200);
  await svc.until(id, 'completed');
  return svc.story(id);
});

check('200: an event that came before the wait resumes the turn at once', async (t, svc) => {
  const [id, item] = await begin(svc);
  t.true((await svc.deliver(id, 'payment', 7)).accepted);
  const entries = [step('before')];
  const answer = expectStatus(await suspend(svc, item, [paid, late], { entries }), 200);
  const expected = {
    suspended: false,
    resumed: true,
    work_item_id: item.id,
    length: 2,
    entries: [{ identity: 'paid', kind: 'event', output: 7 }],
  };
  t.deepEqual(answer, expected);
  t.deepEqual(expectStatus(await suspend(svc, item, [paid, late], { entries }), 200), expected);
  expectStatus(await record(svc, item, [step('after')], { expected_length: 2 }), 200);
  expectStatus(await svc.complete(item, {}, { expected_length: 3 }), 200);
  await svc.until(id, 'completed');
});

check('200: a suspension that is sent again has the same answer', async (t, svc) => {
  const [id, item] = await begin(svc);
  const entries = [step('before')];
  const first = expectStatus(await suspend(svc, item, [paid], { entries }), 200);
  t.deepEqual(first, { suspended: true, resumed: false, work_item_id: item.id, length: 1 });
  t.deepEqual(expectStatus(await suspend(svc, item, [paid], { entries }), 200), first);
  t.is((await suspend(svc, item, [late], { entries })).status, 409);
  await svc.deliver(id, 'payment');
  const next = await claimTurn(svc);
  t.deepEqual(expectStatus(await suspend(svc, item, [paid], { entries }), 200), first);
  t.is(next.journal.length, 2);
  t.is((await svc.story(id)).filter((told) => told === 'NodeSuspended f').length, 1);
});

check('any one of several waits wakes the function, and the others stay open', async (t, svc) => {
  const [id, item] = await begin(svc);
  await park(svc, item, [paid, soon, late]);
  const next = await claimTurn(svc);
  t.deepEqual(plain(next.journal), [{ identity: 'soon', kind: 'timer', output: null }]);
  // An event during a lease is stored, and delivered with the next suspension.
  await svc.deliver(id, 'payment', 1);
  const answer = expectStatus(await suspend(svc, next, [paid]), 200);
  t.like(answer, { resumed: true, length: 2 });
  t.is((await suspend(svc, next, [paid], { expected_length: 2 })).status, 409);
  expectStatus(await svc.complete(next, {}, { expected_length: 2 }), 200);
  await svc.until(id, 'completed');
});

check('an answer to a wait while the item is leased never changes the length', async (t, svc) => {
  const [id, item] = await begin(svc);
  await park(svc, item, [paid, soon]);
  const next = await claimTurn(svc);
  await svc.deliver(id, 'payment', 1);
  expectStatus(await record(svc, next, [step('own')], { expected_length: 1 }), 200);
  expectStatus(await svc.fail(next, { expected_length: 2 }), 200);
  const retried = await claimTurn(svc);
  t.deepEqual(
    retried.journal.entries.map(({ identity }) => identity),
    ['soon', 'own', 'paid'],
  );
});

check('a wait keeps its deadline however often it is named', async (t, svc) => {
  const [id, item] = await begin(svc);
  const nap = { identity: 'nap', kind: 'event', correlation_key: 'nobody', timeout_ms: 5_000 };
  const began = Date.now();
  await park(svc, item, [nap, soon]);
  const second = await claimTurn(svc);
  await park(svc, second, [{ ...nap, timeout_ms: 3_600_000 }]);
  const third = await claimTurn(svc);
  t.true(Date.now() - began < 15_000);
  t.is(third.turn, 2);
  t.like(third.journal.entries.at(-1), { identity: 'nap', error: { class: 'timeout' } });
  expectStatus(await svc.complete(third), 200);
  await svc.until(id, 'completed');
});

check('a person decides the approval of a function by its step', async (t, svc) => {
  const [id, item] = await begin(svc);
  const ask = (identity: string) => ({
    identity,
    kind: 'approval',
    description: `about ${identity}`,
    context: { amount: 5 },
  });
  await park(svc, item, [ask('one'), ask('two')]);
  await svc.until(id, 'paused');
  const path = `/executions/${id}/approvals`;
  interface Approvals {
    readonly pending: readonly JsonObject[];
    readonly decided: readonly JsonObject[];
  }
  const open = expectStatus(await svc.get<Approvals>(path), 200).pending;
  t.deepEqual(
    open.map(({ node_id, step: asked, description, shown }) => [
      node_id,
      asked,
      description,
      shown,
    ]),
    ['one', 'two'].map((asked) => ['f', asked, `about ${asked}`, { context: { amount: 5 } }]),
  );
  t.is((await svc.post(`/executions/${id}/approve`, { decision: 'approved' })).status, 400);
  const patch = { decision: 'approved', step: 'two', state_patch: { a: 1 } };
  t.is((await svc.post(`/executions/${id}/approve`, patch)).status, 400);
  const by = { decision: 'approved', step: 'two', user_id: 'ann', comment: 'fine' };
  t.true((await svc.approve(id, by)).accepted);
  const next = await claimTurn(svc);
  const output = { approved: true, decided_by: 'ann', comment: 'fine' };
  t.deepEqual(plain(next.journal), [{ identity: 'two', kind: 'approval', output }]);
  // The other question stays open while the function runs.
  t.true((await svc.approve(id, { decision: 'rejected', node_id: 'f' })).accepted);
  t.false((await svc.approve(id, { decision: 'approved', node_id: 'f' })).accepted);
  const answer = expectStatus(await suspend(svc, next, [ask('one')]), 200);
  t.deepEqual(answer.entries, [
    { identity: 'one', kind: 'approval', output: { approved: false, decided_by: null } },
  ]);
  const after = expectStatus(await svc.get<Approvals>(path), 200);
  t.deepEqual([after.pending.length, after.decided.length], [0, 2]);
});

check('an approval that nobody decides in time is an error of the journal', async (t, svc) => {
  const [, item] = await begin(svc);
  await park(svc, item, [{ identity: 'ask', kind: 'approval', timeout_ms: 30 }]);
  const { journal } = await claimTurn(svc);
  t.like(journal.entries[0], { identity: 'ask', kind: 'approval', error: { class: 'timeout' } });
});

check('children of a function run, and their ends are its entries', async (t, svc) => {
  const good = { kind: 'pass', output: { n: 2 } };
  await svc.register({ workflow_id: 'good', nodes: { a: good } });
  const bad = { kind: 'limit_exceeded', message: 'no' };
  await svc.register({ workflow_id: 'bad', nodes: { a: bad } });
  const [id, item] = await begin(svc);
  const child = (identity: string, workflow_id: string) => ({
    identity,
    kind: 'child',
    workflow_id,
    input: { n: 1 },
  });
  await park(svc, item, [child('left', 'good'), child('right', 'bad')]);
  let turn = await claimTurn(svc);
  if (turn.journal.length === 1) {
    // The children ended one after the other.
    const missing =
      plain(turn.journal)[0]?.identity === 'left' ? ['right', 'bad'] : ['left', 'good'];
    const answer = await suspend(svc, turn, [child(missing[0] ?? '', missing[1] ?? '')]);
    if (answer.body.resumed === true) {
      turn = { ...turn, journal: await journalOf(svc, turn) };
    } else turn = await claimTurn(svc);
  }
  const entries = plain(turn.journal).toSorted((a, b) => a.identity.localeCompare(b.identity));
  t.deepEqual(entries[0], { identity: 'left', kind: 'child', output: { n: 2 } });
  t.like(entries[1], { identity: 'right', kind: 'child', error: { class: 'child_failed' } });
  expectStatus(await svc.complete(turn), 200);
  await svc.until(id, 'completed');
});

check('200: a child whose workflow does not exist is an error at once', async (t, svc) => {
  const [, item] = await begin(svc);
  const wait = { identity: 'c', kind: 'child', workflow_id: 'nothing', input: {} };
  const answer = expectStatus(await suspend(svc, item, [wait]), 200);
  t.true(answer.resumed);
  t.like(answer.entries?.[0], { identity: 'c', error: { class: 'child_failed' } });
});

check('a child that nobody waits for any more is cancelled', async (t, svc) => {
  const ask = { kind: 'human_approval' };
  await svc.register({ workflow_id: 'slow', nodes: { a: ask } });
  const [id, item] = await begin(svc);
  const wait = { identity: 'c', kind: 'child', workflow_id: 'slow', input: {} };
  await park(svc, item, [wait, soon]);
  const next = await claimTurn(svc);
  const started = await svc.untilEvent(id, 'ChildWorkflowStarted');
  expectStatus(await svc.complete(next), 200);
  await svc.until(id, 'completed');
  const { child_execution_id: childId } = started.payload;
  if (typeof childId !== 'string') return t.fail('no child was started');
  t.is((await svc.until(childId, 'cancelled')).status, 'cancelled');
});

check(
  'a paused execution hands out nothing, and a function comes back once it is resumed',
  async (t, svc) => {
    const [id, item] = await begin(svc);
    await park(svc, item, [paid]);
    await svc.post(`/executions/${id}/pause`, {});
    await svc.deliver(id, 'payment', 1);
    t.false(await hasTurn(svc));
    await svc.post(`/executions/${id}/resume`, {});
    t.is((await claimTurn(svc)).journal.length, 1);
  },
);

check('the time of a function counts while it waits', async (t, svc) => {
  const f = { ...FUNCTION, node_timeout_secs: 4 };
  const id = await svc.run({ nodes: { f } });
  await park(svc, await claimTurn(svc), [paid]);
  const execution = await svc.until(id, 'failed');
  t.regex(execution.error ?? '', /took longer than 4 s/);
  t.false(await hasTurn(svc));
});

check('the time of a function that stops does not count while it waits', async (t, svc) => {
  const f = { ...FUNCTION, node_timeout_secs: 6, count_suspended: false };
  const id = await svc.run({ nodes: { f } });
  await park(svc, await claimTurn(svc), [{ identity: 'nap', kind: 'timer', delay_ms: 7_000 }]);
  const next = await claimTurn(svc);
  t.is(next.turn, 1);
  await park(svc, next, []);
  t.is((await claimTurn(svc)).turn, 2);
  const { error } = await svc.until(id, 'failed');
  t.regex(error ?? '', /was queued or ran longer than 6 s/);
  return svc.story(id);
});

check('a function that stops its time completes after a longer wait', async (t, svc) => {
  const f = { ...FUNCTION, node_timeout_secs: 6, count_suspended: false };
  const id = await svc.run({ nodes: { f } });
  await park(svc, await claimTurn(svc), [{ identity: 'nap', kind: 'timer', delay_ms: 7_000 }]);
  expectStatus(await svc.complete(await claimTurn(svc)), 200);
  t.is((await svc.until(id, 'completed')).status, 'completed');
});

check('a retry of the execution continues after the last entry', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  const entries = [step('a', 1)];
  expectStatus(await svc.fail(item, { final: true, entries, expected_length: 0 }), 200);
  await svc.until(id, 'failed');
  const reply = await svc.post<{ execution_id: string }>(`/executions/${id}/retry`, {});
  const retried = expectStatus(reply, 201).execution_id;
  const next = await claimTurn(svc);
  t.is(next.execution_id, retried);
  t.is(next.idempotency_key, item.idempotency_key);
  t.deepEqual(plain(next.journal), entries);
  expectStatus(await record(svc, next, [step('b')]), 200);
  expectStatus(await svc.complete(next), 200);
  await svc.until(retried, 'completed');
});

check('explain tells what a suspended function waits for', async (t, svc) => {
  const [id, item] = await begin(svc);
  await park(svc, item, [paid, late]);
  const blockers = await eventually(async () => {
    const reply = await svc.get<{ blockers: readonly JsonObject[] }>(`/executions/${id}/explain`);
    const { blockers: found } = expectStatus(reply, 200);
    if (found[0]?.['code'] !== 'awaiting_event') throw new Error(JSON.stringify(found));
    return found;
  });
  t.regex(JSON.stringify(blockers[0]), /payment.*\(paid\) or the timer late/);
});
