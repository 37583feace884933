import test from 'ava';

import { parseTraceparent, writeTraceparent } from '../../../src/shared/domain/traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('a traceparent is read and written as it was', (t) => {
  for (const flags of ['00', '01']) {
    const text = `00-${TRACE}-${SPAN}-${flags}`;
    const read = parseTraceparent(text);
    t.deepEqual(read, { traceId: TRACE, spanId: SPAN, isSampled: flags === '01' });
    t.is(read && writeTraceparent(read), text);
  }
});

test('known members of a later version are read', (t) => {
  t.like(parseTraceparent(`cc-${TRACE}-${SPAN}-09-what-comes`), { spanId: SPAN, isSampled: true });
});

for (const [title, text] of [
  ['nothing', ''],
  ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['more than there is in version 00', `00-${TRACE}-${SPAN}-01-more`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['an id that is too short', `00-${TRACE.slice(1)}-${SPAN}-01`],
] as const) {
  test(`${title} is no traceparent`, (t) => {
    t.is(parseTraceparent(text), null);
  });
}
