import test from 'ava';

import { hashJson } from '../../../../src/shared/domain/canonical-json.ts';
import type { ExecutionId, WorkItemId } from '../../../../src/shared/domain/ids.ts';
import {
  groupFailures,
  type ShownFailures,
} from '../../../../src/shared/engine/overview/group-failures.ts';
import type { FailureMember } from '../../../../src/shared/store/readings/failures.ts';

const PAY = { tool: 'bank.pay', queue: 'python_tool' } as const;
const MEMBERS = 10;

/** One failure that is stored as a group of its own. */
function failureAt(
  second: number,
  { error, ...changes }: Partial<ShownFailures & Pick<FailureMember, 'error'>> = {},
): ShownFailures {
  const failedAt = new Date(second * 1_000).toISOString();
  const member: FailureMember = {
    executionId: `exec_${second}` as ExecutionId,
    workItemId: `${second}` as WorkItemId,
    error: error ?? `order ${second} is unknown`,
    failedAt,
    isLive: false,
  };
  return {
    workflowId: 'orders',
    nodeId: 'pay',
    place: PAY,
    causeKey: null,
    count: 1,
    live: 0,
    firstAt: failedAt,
    lastAt: failedAt,
    error: member.error,
    latest: () => [member],
    ...changes,
  };
}

test('groups with one cause in one place are one: their counts are added, and the latest are kept', (t) => {
  const many = failureAt(9, { count: 100, live: 2, firstAt: '1970-01-01T00:00:01.000Z' });
  const later = failureAt(12, { count: 20, live: 1, firstAt: '1970-01-01T00:00:10.000Z' });
  const latest = () => [...later.latest(), ...failureAt(8).latest()];
  const [group, ...others] = groupFailures([many, { ...later, latest }, failureAt(11)], 3);
  t.is(others.length, 0);
  t.like(group, {
    kind: 'work_item',
    cause: 'order … is unknown',
    workflowId: 'orders',
    nodeId: 'pay',
    tool: 'bank.pay',
    queue: 'python_tool',
    count: 121,
    live: 3,
    firstAt: '1970-01-01T00:00:01.000Z',
    lastAt: '1970-01-01T00:00:12.000Z',
  });
  t.deepEqual(
    group?.members().map(({ executionId }) => executionId),
    ['exec_12', 'exec_11', 'exec_9'].map((id) => id as ExecutionId),
  );
  t.is(group?.members()[0]?.error, 'order 12 is unknown');
});

test('failures of another place are another group, the largest first', (t) => {
  const groups = group(
    failureAt(1),
    failureAt(2, { nodeId: null, place: null }),
    failureAt(3, { nodeId: null, place: null }),
    failureAt(6, { place: null }),
    failureAt(4, { workflowId: 'refunds' }),
    failureAt(5, { nodeId: 'ship', count: 2 }),
    failureAt(7, { nodeId: 'ship' }),
    failureAt(8, { place: { ...PAY, tool: 'bank.check' } }),
    failureAt(9, { error: 'the card is refused' }),
  );
  t.deepEqual(
    groups.slice(0, 2).map(({ kind, nodeId, count }) => [kind, nodeId, count]),
    [
      ['work_item', 'ship', 3],
      ['execution', null, 2],
    ],
  );
  t.is(groups.length, 7);
  t.is(new Set(groups.map(({ id }) => id)).size, 7);
});

test('the same cause in the same place has the same id in every answer', (t) => {
  t.is(group(failureAt(1))[0]?.id, group(failureAt(2), failureAt(3))[0]?.id);
});

test('the id of a group is that of earlier releases', (t) => {
  const cause = 'order … is unknown';
  const place = { kind: 'work_item', cause, workflowId: 'orders', nodeId: 'pay', ...PAY };
  t.is(group(failureAt(1))[0]?.id, hashJson(place).slice(0, 16));
});

test('failures with one key have one cause, also with different messages', (t) => {
  const groups = group(
    failureAt(1, { causeKey: 7, error: 'the bank is closed' }),
    failureAt(3, { causeKey: 7, error: 'a message that an earlier release normalised otherwise' }),
    failureAt(2, { causeKey: 8, error: 'the card is refused' }),
  );
  t.deepEqual(
    groups.map(({ cause, count }) => [cause, count]),
    [
      ['a message that an earlier release normalised otherwise', 2],
      ['the card is refused', 1],
    ],
  );
});

test('failures with a key and without one are one group if their cause is one', (t) => {
  const groups = group(
    failureAt(1, { causeKey: 7 }),
    failureAt(2),
    // Kept by a release with other rules.
    failureAt(3, { causeKey: 8 }),
  );
  t.deepEqual(
    groups.map(({ cause, count, lastAt }) => [cause, count, lastAt]),
    [['order … is unknown', 3, '1970-01-01T00:00:03.000Z']],
  );
});

function group(...failures: readonly ShownFailures[]) {
  return groupFailures(failures, MEMBERS).toArray();
}
