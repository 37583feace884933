import test from 'ava';

import type { Operation, Strike } from '../chaos/types.ts';
import { checkSlowDisks } from './check-slow-disks.ts';

const SLOW: Strike = {
  fault: 'disk-slow',
  target: 'postgres',
  firedAtMs: 10_000,
  healedAtMs: 20_000,
  note: 'node_1, 40 writes took 300 ms more',
};
const GOOD = {
  strikes: [SLOW],
  operations: [
    change({ beganAtMs: 11_000, endedAtMs: 11_400 }),
    change({ beganAtMs: 12_000, endedAtMs: 12_700 }),
    change({ beganAtMs: 13_000, endedAtMs: 14_000, status: 503 }),
    change({ beganAtMs: 19_900, endedAtMs: 24_900, status: null }),
    change({ beganAtMs: 20_100, endedAtMs: 20_150 }),
  ],
  answered: new Map([['api-1', [9_000, 19_999, 20_040]]]),
  promotions: [{ node: 'node_2', at: 9_000 }],
};

test('changes during a slow disk are counted, and the first ones after it are timed', (t) => {
  t.deepEqual(checkSlowDisks(GOOD), {
    violations: [],
    seen: [
      {
        note: 'node_1, 40 writes took 300 ms more',
        lastedMs: 10_000,
        changes: {
          acknowledged: 2,
          refused: 1,
          withoutAnswer: 1,
          medianMs: 700,
          slowestMs: 700,
        },
        changesAfterMs: 150,
        readsAfterMs: { 'api-1': 40 },
      },
    ],
  });
});

test('a promotion during a slow disk is a violation', (t) => {
  const { violations } = checkSlowDisks({
    ...GOOD,
    promotions: [{ node: 'node_2', at: 15_000 }],
  });
  t.deepEqual(
    violations.map(({ rule }) => rule),
    ['a slow disk that answers costs no primary its role'],
  );
});

test('changes and reads that come late after a slow disk, or never, are violations', (t) => {
  const { violations } = checkSlowDisks({
    ...GOOD,
    operations: [change({ beganAtMs: 20_100, endedAtMs: 25_001 })],
    answered: new Map([['api-1', [19_999]]]),
  });
  t.deepEqual(
    violations.map(({ about, saw }) => [about?.['what'], saw.split(' (')[0]]),
    [
      ['api-1', 'it never was'],
      ['changes of all clients', '5001 ms'],
    ],
  );
});

test('a read is no change, and another fault excuses a late one', (t) => {
  const read: Operation = {
    ...change({ beganAtMs: 20_001, endedAtMs: 20_002 }),
    asks: { do: 'read', executionId: 'execution' },
  };
  const late = { ...GOOD, operations: [read] };
  t.is(checkSlowDisks(late).violations.length, 1);
  const pooler: Strike = {
    fault: 'pooler-restarted',
    target: 'pgbouncer',
    firedAtMs: 21_000,
    healedAtMs: 22_000,
  };
  t.deepEqual(checkSlowDisks({ ...late, strikes: [SLOW, pooler] }).violations, []);
});

function change(of: {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly status?: number | null;
}): Operation {
  const { beganAtMs, endedAtMs, status = 200 } = of;
  return {
    client: 'client',
    tenantId: 'tenant',
    asks: { do: 'cancel', executionId: 'execution' },
    begun: beganAtMs,
    ended: status === null ? null : endedAtMs,
    beganAtMs,
    endedAtMs,
    answer: status === null ? null : { status, body: {} },
  };
}
