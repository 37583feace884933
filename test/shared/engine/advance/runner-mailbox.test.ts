import test from 'ava';

import { createRunnerMailbox } from '../../../../src/shared/engine/advance/runner-mailbox.ts';
import type { RunningItem } from '../../../../src/shared/engine/advance/run-items.ts';
import { LeaseLostError, type NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { startedExecution } from './started-execution.ts';

const done: NodeOutcome = { ok: true, output: {}, statePatch: {} };
const progress = { name: 'step', data: {}, kept: true };
const all = () => true;

function threeItems(): readonly RunningItem[] {
  const branches = ['a', 'b', 'c'];
  const { items } = startedExecution({
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches } },
      ...Object.fromEntries(branches.map((id) => [id, { kind: 'call' }])),
    },
    edges: [],
  });
  return items;
}

test('mail is taken once, and comes back in its order when its commit was not made', (t) => {
  const mailbox = createRunnerMailbox(() => undefined);
  const items = threeItems();
  t.is(items.length, 3);
  for (const item of items.slice(0, 2)) mailbox.finish({ item, outcome: done });
  const mail = mailbox.take(all);
  t.true(mailbox.isEmpty());
  for (const item of items.slice(2)) mailbox.finish({ item, outcome: done });
  mailbox.putBack(mail);
  t.deepEqual(
    mailbox.take(all).settled.map(({ item }) => item),
    items,
  );
});

test('split up, outcomes are taken one at a time until none is left', (t) => {
  const mailbox = createRunnerMailbox(() => undefined);
  const items = threeItems();
  const finishAll = () => items.forEach((item) => mailbox.finish({ item, outcome: done }));
  finishAll();
  mailbox.splitUp();
  const sizes = items.map(() => mailbox.take(all).settled.length);
  t.deepEqual(sizes, [1, 1, 1]);
  finishAll();
  t.is(mailbox.take(all).settled.length, 3);
});

test('notes and outcomes of an item that no longer runs are dropped', async (t) => {
  const mailbox = createRunnerMailbox(() => undefined);
  const [item] = threeItems();
  if (item === undefined) return t.fail('no item was leased');
  const noted = mailbox.note(item, progress);
  mailbox.finish({ item, outcome: done });
  t.deepEqual(
    mailbox.take(() => false),
    { noted: [], settled: [] },
  );
  await t.throwsAsync(noted, { instanceOf: LeaseLostError });
});

test('a note that no commit has taken is refused when the mailbox closes', async (t) => {
  let told = 0;
  const mailbox = createRunnerMailbox(() => {
    told += 1;
  });
  const [item] = threeItems();
  if (item === undefined) return t.fail('no item was leased');
  const noted = mailbox.note(item, progress);
  t.is(told, 1);
  mailbox.close();
  await t.throwsAsync(noted, { instanceOf: LeaseLostError });
});
