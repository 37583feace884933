import test from 'ava';

import { shortenTexts } from '../../bin/commands/execution/shorten-texts.ts';

test('long texts at any depth are cut, and say how long they are', (t) => {
  const cut = `${'x'.repeat(500)}… (2000000 characters; -o json prints all)`;
  const long = 'x'.repeat(2_000_000);
  t.deepEqual(shortenTexts({ order: 'A-1', items: [1, null, { note: long }], long }), {
    order: 'A-1',
    items: [1, null, { note: cut }],
    long: cut,
  });
  t.is(shortenTexts('x'.repeat(500)), 'x'.repeat(500));
});
