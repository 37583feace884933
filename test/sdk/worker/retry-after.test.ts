import test from 'ava';

import { RetryAfter } from 'svc-sdk/worker';

test('a duration counts from the failure, and a date is that time', (t) => {
  t.is(new RetryAfter('1m30s').delayMs(0), 90_000);
  t.is(new RetryAfter(0.2).delayMs(0), 1);
  t.is(new RetryAfter(new Date(5_000)).delayMs(2_000), 3_000);
  t.is(new RetryAfter(new Date(5_000)).delayMs(6_000), 0);
});

test('no wait is longer than 30 days', (t) => {
  for (const wait of ['31d', Number.POSITIVE_INFINITY, new Date('9999-01-01')]) {
    t.is(new RetryAfter(wait).delayMs(0), 30 * 86_400_000);
  }
});

test('message and class are those of the cause, unless it says otherwise', (t) => {
  const cause = new RangeError('busy');
  t.like(new RetryAfter(1, { cause }), { message: 'busy', errorClass: 'RangeError', cause });
  t.is(new RetryAfter(1, { cause, message: 'try later' }).message, 'try later');
  t.like(new RetryAfter(1), { message: 'try again later', errorClass: 'RetryAfter' });
});

test('an invalid time is refused', (t) => {
  for (const wait of ['soon', -1, Number.NaN, new Date('soon')]) {
    t.throws(() => new RetryAfter(wait), { instanceOf: RangeError }, String(wait));
  }
});
