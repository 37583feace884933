import test from 'ava';

import { isLabels, takeLabels } from '../../../../../src/shared/domain/execution/labels/labels.ts';

const many = (count: number, prefix = 'n') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'v']));

test('labels are taken in their order, each as a whole and only where it has room', (t) => {
  const own = many(14);
  t.deepEqual(takeLabels({}, []), {});
  t.deepEqual(takeLabels(own, [{ a: '1' }, { b: '2', c: '3' }, { b: '4' }]), { a: '1', b: '4' });
  t.deepEqual(takeLabels(own, [{ a: '1' }, { a: '2', n0: 'w' }, { b: '3' }, { c: '4' }]), {
    a: '2',
    n0: 'w',
    b: '3',
  });
});

test('values with a wrong name, text or count are no labels', (t) => {
  for (const labels of [
    {},
    many(16),
    { ['a'.repeat(128)]: 'v'.repeat(128) },
    { 'A.b:c/d-e_1': 'ü' },
  ]) {
    t.true(isLabels(labels), JSON.stringify(labels));
  }
  const others = [null, 'text', [], { a: 1 }, { a: '' }, { a: '\0' }, { _a: 'v' }, many(17)];
  for (const value of [...others, { a: 'v'.repeat(129) }, { ['a'.repeat(129)]: 'v' }, undefined]) {
    t.false(isLabels(value), JSON.stringify(value));
  }
});
