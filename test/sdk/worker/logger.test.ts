import test from 'ava';
import { createJsonLogger } from 'svc-sdk/worker';

import { createTextLogger } from '../../../sdk/typescript/src/worker/text-logger.ts';

test('a field that is no JSON does not throw: the line says which one it is', (t) => {
  const lines: string[] = [];
  const logger = createJsonLogger({ write: (line) => void lines.push(line) });
  const cycle: Record<string, unknown> = {};
  cycle['again'] = cycle;
  logger.warn({ order: 'A-1', total: 10n }, 'charged');
  logger.warn({ order: 'A-2', cycle }, 'charged');
  logger.info({ order: 'A-3', error: new RangeError('declined') }, 'refused');
  const written = lines.map((line) => JSON.parse(line) as object);
  t.like(written[0], {
    level: 'warn',
    message: 'charged',
    order: 'A-1',
    total: 'total is a BigInt; use text or a number',
  });
  t.like(written[1], { order: 'A-2', cycle: 'cycle.again is cycle again; break the cycle' });
  t.like(written[2], { order: 'A-3', error: { name: 'RangeError', message: 'declined' } });
});

test('on a terminal, a line has its fields as text, and a stack has lines of its own', (t) => {
  let text = '';
  const logger = createTextLogger({ write: (written) => (text += written) });
  logger.debug({}, 'hidden');
  logger.info({}, 'the worker has stopped');
  const stack = 'TypeError: no\u001b[2J\n    at charge (order.ts:3:9)';
  logger.warn({ step: 'charge', error: 'no card', attempt: 0, stack }, 'the step failed');
  const lines = text.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3}/, 'TIME'));
  t.deepEqual(lines, [
    'TIME info  the worker has stopped',
    'TIME warn  the step failed  step=charge error="no card" attempt=0',
    'TypeError: no\\u001b[2J',
    '    at charge (order.ts:3:9)',
    '',
  ]);
});
