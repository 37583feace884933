import test from 'ava';

import type { Operation } from '../chaos/types.ts';
import { checkRefusals } from './check-refusals.ts';

test('an answer of 503 with Retry-After, a refusal by its rules and no answer are right', (t) => {
  const { answer, ...lost } = operation(503, '1');
  t.deepEqual(
    checkRefusals([operation(503, '1'), operation(409), operation(200), { ...lost, answer: null }]),
    [],
  );
});

test('a 503 that names no time, and any other failure, are violations', (t) => {
  const found = checkRefusals([operation(503), operation(500, '1'), operation(500)]);
  t.deepEqual(
    found.map(({ saw }) => saw),
    [
      'status 503, Retry-After missing',
      'status 500, Retry-After 1',
      'status 500, Retry-After missing',
    ],
  );
});

function operation(status: number, retryAfter?: string): Operation {
  return {
    client: 'client',
    tenantId: 'tenant',
    asks: { do: 'cancel', executionId: 'execution' },
    begun: 1,
    ended: 2,
    beganAtMs: 1,
    endedAtMs: 2,
    answer: { status, body: {} },
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}
