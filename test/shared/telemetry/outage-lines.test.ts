import test from 'ava';

import { SvcError } from '../../../src/shared/domain/errors.ts';
import { StoreUnavailableError } from '../../../src/shared/store/unavailable.ts';
import { createOutageLines } from '../../../src/shared/telemetry/outage-lines.ts';

const away = new StoreUnavailableError('away', { ambiguous: false });
const full = new StoreUnavailableError('full', { ambiguous: false, shortOf: 'disk' });

test('the log names an outage once a minute, with the number of lines in between', (t) => {
  let now = 0;
  const lines = createOutageLines(() => now);
  t.deepEqual(lines.next('a round failed', away), {});
  now = 59_999;
  t.is(lines.next('a round failed', away), null);
  t.is(lines.next('a round failed', new SvcError('unavailable', 'x', { cause: away })), null);
  now = 60_000;
  t.deepEqual(lines.next('a round failed', away), { left_out: 2 });
  now = 120_000;
  t.deepEqual(lines.next('a round failed', away), {});
});

test('the log names another subject, another reason and any other error at once', (t) => {
  const lines = createOutageLines(() => 0);
  t.deepEqual(lines.next('a round failed', away), {});
  t.deepEqual(lines.next('a round failed', full), {});
  t.deepEqual(lines.next('a request failed', full), {});
  t.is(lines.next('a request failed', full), null);
  for (const error of [new Error('bug'), null, 'text']) {
    t.deepEqual(lines.next('a round failed', error), {});
    t.deepEqual(lines.next('a round failed', error), {});
  }
});
