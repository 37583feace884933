import test from 'ava';

import { compareStates } from '../../../../../src/shared/domain/execution/timeline/compare-states.ts';

const WIDE = { changesMax: 100, charsMax: 10_000 };

test('objects are compared member by member, and all else as a whole', (t) => {
  const before = { same: { a: [1] }, gone: 1, list: [1, 2], order: { id: 7, paid: false } };
  const after = { same: { a: [1] }, list: [1, 3], order: { id: 7, paid: true }, 'a/b~c': null };
  const { changes, truncated } = compareStates(before, after, WIDE);
  t.false(truncated);
  t.deepEqual(changes, [
    { op: 'remove', path: '/gone', before: 1, after: null, omitted: false },
    { op: 'replace', path: '/list', before: [1, 2], after: [1, 3], omitted: false },
    { op: 'replace', path: '/order/paid', before: false, after: true, omitted: false },
    { op: 'add', path: '/a~1b~0c', before: null, after: null, omitted: false },
  ]);
  t.deepEqual(compareStates(after, after, WIDE).changes, []);
});

test('an object that replaces a value is one change', (t) => {
  const { changes } = compareStates({ a: 1 }, { a: { b: 2 } }, WIDE);
  t.deepEqual(changes, [{ op: 'replace', path: '/a', before: 1, after: { b: 2 }, omitted: false }]);
});

test('a long list of changes is cut, and says so', (t) => {
  const after = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, index]));
  const cut = compareStates({}, after, { ...WIDE, changesMax: 10 });
  t.is(cut.changes.length, 10);
  t.true(cut.truncated);
  t.false(compareStates({}, after, { ...WIDE, changesMax: 11 }).truncated);
});

test('a value beyond the room left is omitted, and smaller ones still follow', (t) => {
  const after = { large: 'x'.repeat(200), small: 1 };
  const { changes } = compareStates({}, after, { ...WIDE, charsMax: 100 });
  t.deepEqual(
    changes.map(({ path, after: value, omitted }) => [path, value, omitted]),
    [
      ['/large', null, true],
      ['/small', 1, false],
    ],
  );
});
