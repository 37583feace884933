import test from 'ava';

import { type Gate, GATES, judge, keyOf } from '../../bench/gates.ts';
import { listCells } from '../../bench/cells.ts';
import { listPeerCells } from '../../bench/peers.ts';
import { exampleMeasurement } from './support/example-measurement.ts';

const gate = (figure: number | null, bound: Gate['bound']): Gate => ({
  workload: 'B/16',
  asks: 'something',
  figure: () => figure,
  bound,
});

test('a bound is passed when it is just met', (t) => {
  const verdicts = judge(
    [gate(6, { atLeast: 6 }), gate(5.9, { atLeast: 6 }), gate(25, { atMost: 25 })].concat(
      gate(26, { atMost: 25 }),
      gate(null, { atMost: 25 }),
    ),
    new Map(),
  ).map(({ verdict }) => verdict);
  t.deepEqual(verdicts, ['pass', 'fail', 'pass', 'fail', 'not measured']);
});

test('a margin above 1 is passed, in both directions of the bound', (t) => {
  const [rate, time] = judge([gate(12, { atLeast: 6 }), gate(5, { atMost: 20 })], new Map());
  t.is(rate?.margin, 2);
  t.is(time?.margin, 4);
  t.like(judge([gate(0, { atMost: 0 })], new Map())[0], { verdict: 'pass', margin: null });
});

test('ratios to a peer are of the same round', (t) => {
  const rounds = new Map([
    ['svc B/16', [exampleMeasurement(1, { units: 700 }), exampleMeasurement(2, { units: 90 })]],
    ['DBOS B/16', [exampleMeasurement(2, { units: 10 }), exampleMeasurement(1, { units: 100 })]],
  ]);
  const judged = judge(GATES, rounds).find(({ asks }) => asks === '≥ 8 × DBOS');
  t.is(judged?.figure, 8);
  t.is(judged?.verdict, 'pass');
});

test('every gate finds what it judges among the workloads', (t) => {
  const cells = [
    ...listCells({ pgbench: null, churnSeconds: 60, idleSeconds: 60, seconds: 4, large: false }),
    ...listPeerCells(),
    // `npm run bench:before` measures these.
    ...['svc', 'svc before'].map((subject) => ({ subject, id: 'W10/64 in turn' })),
  ];
  const figures = [
    'hand_off_p50_ms',
    'known_p99_ms',
    'last_to_first_deciles',
    'last_to_first_tenth',
    'commit_refusals',
    'core_percent',
    'api_rss_mib',
    'scheduler_rss_mib',
    'dev_to_node',
    'version_to_node',
  ];
  const extra = Object.fromEntries(figures.map((name) => [name, 1]));
  const measurement = {
    ...exampleMeasurement(1, { extra, rssMiB: 100 }),
    walBytes: 1_000,
    statements: 1,
    databaseCpuMicros: 1,
  };
  const clientInside = { ...measurement, extra: { ...extra, client_inside: 1 } };
  const rounds = new Map(cells.map((cell) => [keyOf(cell), [measurement, clientInside]]));
  t.is(rounds.size, cells.length);
  const missing = judge(GATES, rounds).filter(({ figure }) => figure === null);
  t.deepEqual(missing, []);
});
