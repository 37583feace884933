import test from 'ava';

import { BoundedMap } from '../../../src/shared/domain/bounded-map.ts';

test('a full map gives up its oldest entry for a new one', (t) => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('c', 3);
  t.deepEqual(
    [...map],
    [
      ['b', 2],
      ['c', 3],
    ],
  );
});

test('setting a key again makes it the newest, and nothing leaves', (t) => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
  t.deepEqual(
    [...map],
    [
      ['b', 2],
      ['a', 3],
    ],
  );
  t.is(map.set('c', 4).get('b'), undefined);
});

test('reading a key does not change its place', (t) => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2);
  t.is(map.get('a'), 1);
  t.deepEqual([...map.set('c', 3).keys()], ['b', 'c']);
});
