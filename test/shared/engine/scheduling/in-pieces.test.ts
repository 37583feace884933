import test from 'ava';

import { EVENTS_AT_A_TIME, inPieces } from '../../../../src/shared/engine/scheduling/in-pieces.ts';
import { systemTimers } from '../../../../src/shared/engine/scheduling/timers.ts';

test('others have a turn after each piece of a long list', async (t) => {
  const items = Array.from({ length: 2 * EVENTS_AT_A_TIME + 1 }, (_, index) => index);
  const order: string[] = [];
  const seen: number[] = [];
  const work = inPieces({ timers: systemTimers }, items, (piece, from) => {
    seen.push(...piece);
    order.push(`piece from ${from}`);
    setImmediate(() => order.push('others'));
  });
  await work;
  t.deepEqual(seen, items);
  t.deepEqual(order, [
    'piece from 0',
    'others',
    `piece from ${EVENTS_AT_A_TIME}`,
    'others',
    `piece from ${2 * EVENTS_AT_A_TIME}`,
    'others',
  ]);
});

test('an error of a piece ends the work', async (t) => {
  const items = Array.from({ length: 2 * EVENTS_AT_A_TIME }, () => null);
  let pieces = 0;
  await t.throwsAsync(
    inPieces({ timers: systemTimers }, items, () => {
      pieces += 1;
      throw new Error('a bad piece');
    }),
    { message: 'a bad piece' },
  );
  t.is(pieces, 1);
});
