import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { onBothStores } from '../../support/both-stores.ts';
import {
  claimTurn,
  type Entry,
  FUNCTION,
  type FunctionItem,
  hasTurn,
  park,
  plain,
  record,
  step,
  suspend,
} from '../../support/functions.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';

/* Budgets that the steps of a function exhaust. */

const check = onBothStores();

const used = (identity: string, input_tokens: number): Entry => ({
  ...step(identity),
  usage: { input_tokens },
});
const NAP = { identity: 'nap', kind: 'timer', delay_ms: 10 };
const REFUND: Entry = { identity: 'refund', kind: 'on_rollback' };
const REFUNDED: Entry = { identity: 'rollback/refund', kind: 'rollback' };

/** A function that has used 120 of 100 tokens, with the answer to its last record request. */
async function overspent(svc: TestTenant, ir: JsonObject, entries: readonly Entry[] = []) {
  const id = await svc.run({ nodes: { f: FUNCTION }, token_budget: 100, ...ir });
  const item = await claimTurn(svc);
  const all = [...entries, used('ask', 120)];
  const body = expectStatus(await record(svc, item, all), 200);
  return { id, item, body, length: all.length };
}

const failsAsOverspent = { error: 'too much', error_class: 'budget_exceeded', final: true };

check('200: the answer to a step says which budget it used up', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION }, token_budget: 100, cost_budget_usd: 5 });
  const item = await claimTurn(svc);
  const first = expectStatus(await record(svc, item, [used('one', 60)]), 200);
  t.false('budget_exceeded' in first);
  const entries = [used('two', 60)];
  const told = {
    action: 'fail',
    message: 'the budget is used up (120 of 100 tokens, $0 of $5)',
    account: id,
    tokens: 120,
    token_budget: 100,
    cost_usd: 0,
    cost_budget_usd: 5,
  };
  // The second one repeats the request, as after a lost answer.
  for (const _ of [1, 2]) {
    const again = expectStatus(await record(svc, item, entries, { expected_length: 1 }), 200);
    t.deepEqual(again['budget_exceeded' as never], told);
  }
  const free = await record(svc, item, [step('free')], { expected_length: 2 });
  t.false('budget_exceeded' in expectStatus(free, 200));
  expectStatus(await svc.fail(item, { ...failsAsOverspent, expected_length: 3 }), 200);
  const { error } = await svc.until(id, 'failed');
  t.is(error, 'node f failed: too much');
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled f',
    'StepRecorded f',
    'StepRecorded f',
    'BudgetExceeded f',
    'StepRecorded f',
    'NodeFailed f',
    'WorkflowFailed',
  ]);
});

check('a budget that is used up allows no further turn', async (t, svc) => {
  const { id, item, length } = await overspent(svc, {}, [REFUND]);
  await park(svc, item, [NAP], { expected_length: length });
  // Compensations still run, and are retried.
  const undoing = await claimTurn(svc);
  t.is(undoing.mode, 'rollback');
  expectStatus(await svc.fail(undoing, { expected_length: length + 1, retry_after_ms: 1 }), 200);
  const again = await claimTurn(svc);
  t.is(again.mode, 'rollback');
  const more = { expected_length: length + 1, entries: [REFUNDED] };
  expectStatus(await svc.complete(again, {}, more), 200);
  const { error } = await svc.until(id, 'failed');
  t.is(error, 'node f failed: the budget is used up (120 of 100 tokens)');
  t.like((await svc.events(id)).at(-1), { payload: { error_class: 'budget_exceeded' } });
});

check('the budget of a parent stops the function of a child', async (t, svc) => {
  const child = await svc.register({ workflow_id: 'child', nodes: { f: FUNCTION } });
  const sub = { kind: 'subgraph', workflow_ref: child };
  const id = await svc.run({ nodes: { sub }, token_budget: 100 });
  const item = await claimTurn(svc);
  const answer = expectStatus(await record(svc, item, [used('ask', 100)]), 200);
  t.like(answer, { budget_exceeded: { account: id, tokens: 100, token_budget: 100 } });
  await park(svc, item, [NAP], { expected_length: 1 });
  await svc.until(id, 'failed');
  const failed = await svc.read(item.execution_id);
  t.is(failed.error, 'node f failed: the budget is used up (100 of 100 tokens)');
});

/** A function that has yielded to the question about its budget. */
async function asked(svc: TestTenant): Promise<{ id: string; item: FunctionItem; length: number }> {
  const ir = { on_budget_exceeded: 'pause' };
  const { id, item, length } = await overspent(svc, ir, [REFUND]);
  const more = { expected_length: length };
  const yielded = expectStatus(await suspend(svc, item, [], more), 200);
  if (yielded.suspended !== true) throw new Error('the turn continues');
  await svc.untilEvent(id, 'ApprovalRequested');
  return { id, item, length };
}

check('a budget that asks holds the next turn until a person grants it', async (t, svc) => {
  const { id, item, length } = await asked(svc);
  t.false(await hasTurn(svc));
  const { body } = await svc.get<{ blockers: { code: string }[] }>(`/executions/${id}/explain`);
  t.is(body.blockers[0]?.code, 'budget_used_up');
  await svc.approve(id, { decision: 'approved' });
  const next = await claimTurn(svc);
  t.like(next, { turn: 1, attempt: 0, idempotency_key: item.idempotency_key });
  t.deepEqual(
    plain(next.journal).map(({ identity }) => identity),
    ['refund', 'ask'],
  );
  const more = expectStatus(
    await record(svc, next, [used('more', 79)], { expected_length: length }),
    200,
  );
  t.false('budget_exceeded' in more);
  const last = await record(svc, next, [used('most', 1)], { expected_length: length + 1 });
  t.like(expectStatus(last, 200), { budget_exceeded: { action: 'pause', tokens: 200 } });
  expectStatus(await svc.complete(next, {}, { expected_length: length + 2 }), 200);
  await svc.until(id, 'completed');
  return svc.story(id);
});

for (const how of ['rejects', 'cancels'] as const) {
  check(
    `a function that a budget holds up is rolled back if a person ${how} it`,
    async (t, svc) => {
      const { id, length } = await asked(svc);
      if (how === 'rejects') await svc.approve(id, { decision: 'rejected' });
      else expectStatus(await svc.cancel(id), 200);
      const undoing = await claimTurn(svc);
      t.is(undoing.mode, 'rollback');
      const more = { expected_length: length, entries: [REFUNDED] };
      expectStatus(await svc.complete(undoing, {}, more), 200);
      await svc.until(id, how === 'rejects' ? 'failed' : 'cancelled');
      t.pass();
    },
  );
}

check('a budget that warns is named once, and the function continues', async (t, svc) => {
  const ir = { on_budget_exceeded: 'warn' };
  const { id, item, body, length } = await overspent(svc, ir);
  t.false('budget_exceeded' in body);
  await park(svc, item, [NAP], { expected_length: length });
  const next = await claimTurn(svc);
  const entries = [used('more', 5)];
  expectStatus(await svc.complete(next, {}, { expected_length: length + 1, entries }), 200);
  await svc.until(id, 'completed');
  const story = await svc.story(id);
  t.is(story.filter((told) => told.startsWith('BudgetExceeded')).length, 1);
});

check('200: a suspension without waits brings the next turn at once', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const first = await claimTurn(svc);
  const wait = { identity: 'go', kind: 'event', correlation_key: 'go' };
  await park(svc, first, [wait]);
  await svc.deliver(id, 'go');
  const second = await claimTurn(svc);
  t.like(second, { turn: 1, journal: { length: 1 } });
  await park(svc, second, []);
  const third = await claimTurn(svc);
  t.like(third, { turn: 2, attempt: 0, journal: { length: 1 } });
  expectStatus(await svc.complete(third), 200);
  await svc.until(id, 'completed');
});
