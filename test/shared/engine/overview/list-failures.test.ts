import test from 'ava';

import { takeGroups } from '../../../../src/shared/engine/overview/list-failures.ts';

const counts = (groups: readonly { readonly count: number }[]) => groups.map(({ count }) => count);
const groupsOf = (...all: readonly number[]) => all.map((count) => ({ count }));

test('a page ends before its groups list more than 500 failures together', (t) => {
  const many = groupsOf(...Array<number>(12).fill(60));
  const page = takeGroups(many, { limit: 100, members: 50 });
  t.is(page.rows.length, 10);
  t.is(page.last, many[9]);
  t.is(takeGroups(many, { limit: 9, members: 50 }).rows.length, 9);
  // One more would be too much.
  t.deepEqual(
    counts(
      takeGroups([...many.slice(0, 9), ...groupsOf(49, 2, 1)], { limit: 100, members: 50 }).rows,
    ),
    [...Array<number>(9).fill(60), 49],
  );
});

test('a page has all groups that fit: each counts with the failures that it lists', (t) => {
  const many = groupsOf(900, 60, ...Array<number>(98).fill(5));
  t.deepEqual(takeGroups(many, { limit: 100, members: 5 }), { rows: many, last: undefined });
  t.is(takeGroups(many, { limit: 99, members: 5 }).rows.length, 99);
  t.is(takeGroups(many, { limit: 100, members: 10 }).rows.length, 98);
  t.deepEqual(takeGroups([], { limit: 100, members: 50 }), { rows: [], last: undefined });
});
