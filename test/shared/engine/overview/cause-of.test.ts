import test from 'ava';

import { causeOf } from '../../../../src/shared/engine/overview/cause-of.ts';

test('messages of one cause have one key, and others have another', (t) => {
  const { errorClass, causeKey } = causeOf('order 17 is unknown', 'NotFound');
  t.is(errorClass, 'NotFound');
  t.is(causeOf('order 4711 is unknown', 'error').causeKey, causeKey);
  t.not(causeOf('order 17 is refused', 'NotFound').causeKey, causeKey);
});

test('keys are whole numbers that both databases keep', (t) => {
  for (let one = 0; one < 1_000; one += 1) {
    const { causeKey } = causeOf('a'.repeat(one), 'error');
    t.true(Number.isInteger(causeKey) && causeKey >= 0 && causeKey < 2 ** 48);
  }
});
