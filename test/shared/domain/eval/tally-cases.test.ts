import test from 'ava';

import { compareCases } from '../../../../src/shared/domain/eval/compare-cases.ts';
import { judgeThresholds } from '../../../../src/shared/domain/eval/judge-thresholds.ts';
import { CaseTally, type CountedCase } from '../../../../src/shared/domain/eval/tally-cases.ts';

const CASE: CountedCase = {
  passed: true,
  score: 1,
  error: null,
  durationMs: null,
  waitedMs: null,
  tokens: null,
  costUsd: null,
  scorers: [],
};

test('a summary of no cases', (t) => {
  t.deepEqual(new CaseTally().summary(), {
    cases: 0,
    passed: 0,
    failed: 0,
    errors: 0,
    pass_rate: 0,
    mean_score: 0,
    p50_ms: null,
    p95_ms: null,
    waited: 0,
    longest_wait_ms: null,
    tokens: 0,
    cost_usd: 0,
    scorers: {},
  });
});

test('rates, means, nearest-rank percentiles and totals', (t) => {
  const tally = new CaseTally();
  const right = { name: 'right', type: 'assertion', reason: '' } as const;
  for (let n = 20; n >= 1; n -= 1) {
    const passed = n > 5;
    tally.add({
      ...CASE,
      passed,
      score: passed ? 1 : 0.5,
      durationMs: n,
      waitedMs: passed ? null : n * 10,
      tokens: n,
      costUsd: 0.001,
      scorers: [{ ...right, passed, score: passed ? 1 : 0.5 }],
    });
  }
  tally.add({ ...CASE, passed: false, score: 0, error: 'it failed', durationMs: 0, tokens: 1 });
  t.deepEqual(tally.summary(), {
    cases: 21,
    passed: 15,
    failed: 6,
    errors: 1,
    pass_rate: 0.714286,
    mean_score: 0.833333,
    p50_ms: 10,
    p95_ms: 19,
    waited: 5,
    longest_wait_ms: 50,
    tokens: 211,
    cost_usd: null,
    scorers: { right: { pass_rate: 0.75, mean_score: 0.875 } },
  });
});

test('thresholds bound from below or from above, and what is not known meets none', (t) => {
  const tally = new CaseTally();
  tally.add({ ...CASE, durationMs: 30 });
  const judged = judgeThresholds({ p95_ms: 20, pass_rate: 1, cost_usd: 5 }, tally.summary());
  t.deepEqual(judged, [
    { name: 'pass_rate', bound: 1, actual: 1, met: true },
    { name: 'p95_ms', bound: 20, actual: 30, met: false },
    { name: 'cost_usd', bound: 5, actual: null, met: false },
  ]);
});

test('two runs are compared case by case', (t) => {
  const run = (cases: Readonly<Record<string, readonly [boolean, number]>>) =>
    new Map(Object.entries(cases).map(([id, [passed, score]]) => [id, { passed, score }]));
  t.deepEqual(
    compareCases({
      earlier: run({
        broke: [true, 1],
        mended: [false, 0.2],
        worse: [true, 1],
        better: [false, 0],
        same: [true, 1],
        gone: [true, 1],
      }),
      now: run({
        broke: [false, 0.4],
        mended: [true, 1],
        worse: [true, 0.9],
        better: [false, 0.1],
        same: [true, 1],
        fresh: [true, 1],
      }),
    }),
    {
      regressions: [{ id: 'broke', earlier: 1, now: 0.4 }],
      improvements: [{ id: 'mended', earlier: 0.2, now: 1 }],
      score_down: [{ id: 'worse', earlier: 1, now: 0.9 }],
      score_up: [{ id: 'better', earlier: 0, now: 0.1 }],
      unchanged: 1,
      added: ['fresh'],
      removed: ['gone'],
    },
  );
});
