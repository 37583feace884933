import test from 'ava';

import type { ExecutionId, WorkItemId } from '../../../../src/shared/domain/ids.ts';
import {
  type Failure,
  groupFailures,
} from '../../../../src/shared/engine/overview/group-failures.ts';

const ITEM = {
  workItemId: '1' as WorkItemId,
  nodeId: 'pay',
  tool: 'bank.pay',
  queue: 'python_tool',
  isLive: false,
} as const;

function failureAt(second: number, changes: Partial<Failure> = {}): Failure {
  return {
    executionId: `exec_${second}` as ExecutionId,
    workflowId: 'orders',
    error: `order ${second} is unknown`,
    causeKey: null,
    failedAt: new Date(second * 1_000).toISOString(),
    item: ITEM,
    ...changes,
  };
}

test('a group counts all failures of a cause, and keeps the latest 50', (t) => {
  const failures = Array.from({ length: 10_000 }, (_, second) =>
    failureAt(second, { item: { ...ITEM, isLive: second < 3 } }),
  );
  const [group, ...others] = groupFailures(failures);
  t.is(others.length, 0);
  t.like(group, {
    kind: 'work_item',
    cause: 'order … is unknown',
    workflowId: 'orders',
    nodeId: 'pay',
    tool: 'bank.pay',
    queue: 'python_tool',
    count: 10_000,
    live: 3,
    firstAt: '1970-01-01T00:00:00.000Z',
    lastAt: '1970-01-01T02:46:39.000Z',
  });
  t.is(group?.members.length, 50);
  t.like(group?.members[0], { executionId: 'exec_9999', error: 'order 9999 is unknown' });
  t.like(group?.members[49], { executionId: 'exec_9950', item: ITEM });
});

test('failures of another place are another group, the largest first', (t) => {
  const groups = groupFailures([
    failureAt(1),
    failureAt(2, { item: null }),
    failureAt(3, { item: null }),
    failureAt(4, { workflowId: 'refunds' }),
    failureAt(5, { item: { ...ITEM, nodeId: 'ship' } }),
    failureAt(6, { item: { ...ITEM, nodeId: 'ship' } }),
    failureAt(7, { item: { ...ITEM, nodeId: 'ship' } }),
    failureAt(8, { item: { ...ITEM, tool: 'bank.check' } }),
    failureAt(9, { error: 'the card is refused' }),
  ]);
  t.deepEqual(
    groups.slice(0, 2).map(({ kind, nodeId, count }) => [kind, nodeId, count]),
    [
      ['work_item', 'ship', 3],
      ['execution', null, 2],
    ],
  );
  t.is(groups.length, 6);
  t.is(new Set(groups.map(({ id }) => id)).size, 6);
});

test('the same cause in the same place has the same id in every answer', (t) => {
  t.is(groupFailures([failureAt(1)])[0]?.id, groupFailures([failureAt(2), failureAt(3)])[0]?.id);
});

test('failures with one key have one cause, also with different messages', (t) => {
  const groups = groupFailures([
    failureAt(1, { causeKey: 7, error: 'the bank is closed' }),
    failureAt(3, { causeKey: 7, error: 'a message that an earlier release normalised otherwise' }),
    failureAt(2, { causeKey: 8, error: 'the card is refused' }),
  ]);
  t.deepEqual(
    groups.map(({ cause, count }) => [cause, count]),
    [
      ['the bank is closed', 2],
      ['the card is refused', 1],
    ],
  );
});

test('failures with a key and without one are one group if their cause is one', (t) => {
  const groups = groupFailures([
    failureAt(1, { causeKey: 7 }),
    failureAt(2),
    // Kept by a release with other rules.
    failureAt(3, { causeKey: 8 }),
  ]);
  t.deepEqual(
    groups.map(({ cause, count, lastAt }) => [cause, count, lastAt]),
    [['order … is unknown', 3, '1970-01-01T00:00:03.000Z']],
  );
});
