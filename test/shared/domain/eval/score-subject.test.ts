import test from 'ava';

import type { Judgement } from '../../../../src/shared/domain/eval/judgement.ts';
import { parseScorers } from '../../../../src/shared/domain/eval/parse-scorers.ts';
import { scoreSubject, type Subject } from '../../../../src/shared/domain/eval/score-subject.ts';
import type { EvalResult } from '../../../../src/shared/domain/eval/scorer.ts';
import type { JsonValue } from '../../../../src/shared/domain/json.ts';

function score(
  scorers: JsonValue,
  given: Partial<Omit<Subject, 'scope'>> & {
    readonly output?: JsonValue;
    readonly expected?: JsonValue;
    readonly judgements?: Readonly<Record<string, Judgement>>;
  } = {},
): EvalResult {
  const { output = null, expected = null, judgements = {} } = given;
  const { durationMs = null, tokens = null, costUsd = null } = given;
  const problems: string[] = [];
  const read = parseScorers(scorers, {
    problem: (pointer, message) => problems.push(`${pointer}: ${message}`),
    variables: ['expected'],
    models: new Map(),
  });
  if (read === null) throw new Error(problems.join('\n'));
  const scope = { state: { limit: 3 }, output, input: {}, execution: {}, expected };
  return scoreSubject({
    scorers: read,
    subject: { scope, durationMs, tokens, costUsd },
    judgements: new Map(Object.entries(judgements)),
  });
}

test('an assertion scores the share of its checks that hold', (t) => {
  const checks = [
    'output.n == 2',
    'output.n < state.limit',
    'output.n == expected',
    'output.n > 5',
  ];
  const result = score([{ type: 'assertion', checks, threshold: 0.7 }], {
    output: { n: 2 },
    expected: 2,
  });
  t.deepEqual(result, {
    passed: true,
    score: 0.75,
    scorers: [
      {
        name: 'assertion_1',
        type: 'assertion',
        score: 0.75,
        passed: true,
        reason: '1 of 4 checks failed: expression `output.n > 5`',
      },
    ],
  });
});

test('checks have weights, and all must hold unless a threshold says otherwise', (t) => {
  const checks = [
    { check: 'true', weight: 3 },
    { name: 'right', check: 'output == 1' },
  ];
  const result = score([{ type: 'assertion', checks }], { output: 2 });
  t.like(result, { passed: false, score: 0.75 });
  t.is(result.scorers[0]?.reason, '1 of 2 checks failed: right');
});

test('a check that cannot be evaluated does not hold, and says why without data', (t) => {
  const { passed, scorers } = score([{ type: 'assertion', check: 'output.secret + 1 > 2' }], {
    output: { secret: 'hush' },
  });
  t.false(passed);
  t.regex(scorers[0]?.reason ?? '', /^1 of 1 check failed: expression `output\.secret \+ 1 > 2`: /);
  t.false(scorers[0]?.reason.includes('hush'));
});

test('a duration up to the bound is worth 1, and twice as much a half', (t) => {
  const scorers = [{ type: 'latency', max_ms: 200 }];
  t.like(score(scorers, { durationMs: 200 }), { passed: true, score: 1 });
  const slow = score(scorers, { durationMs: 400 });
  t.like(slow, { passed: false, score: 0.5 });
  t.is(slow.scorers[0]?.reason, '400 ms, at most 200 ms');
  t.true(
    score([{ type: 'latency', max_secs: '200ms', threshold: 0.5 }], { durationMs: 400 }).passed,
  );
  t.is(score(scorers).scorers[0]?.reason, 'no duration is known');
});

test('the worse of two bounds on the cost decides', (t) => {
  const scorers = [{ type: 'cost', max_usd: 0.01, max_tokens: 100 }];
  t.like(score(scorers, { costUsd: 0.01, tokens: 100 }), { passed: true, score: 1 });
  const dear = score(scorers, { costUsd: 0.04, tokens: 50 });
  t.like(dear, { passed: false, score: 0.25 });
  t.is(dear.scorers[0]?.reason, '$0.04, at most $0.01; 50 tokens, at most 100');
  t.like(score(scorers, { tokens: 50 }), { passed: false, score: 0 });
  t.like(score([{ type: 'cost', max_usd: 0 }], { costUsd: 0 }), { passed: true });
});

test('a model’s answer is a score, and a missing answer is none', (t) => {
  const scorers = [
    {
      type: 'llm_judge',
      name: 'polite',
      rubric: 'Is it polite?',
      model: { provider: 'p', model: 'm' },
    },
  ];
  const said = { polite: { ok: true, score: 0.5, reason: 'rather' } } as const;
  t.deepEqual(score(scorers, { judgements: said }).scorers[0], {
    name: 'polite',
    type: 'llm_judge',
    score: 0.5,
    passed: true,
    reason: 'rather',
  });
  const silent = { polite: { ok: false, error: 'nothing came' } } as const;
  t.like(score(scorers, { judgements: silent }), { passed: false, score: 0 });
  t.like(score(scorers), { passed: false, score: 0 });
});

test('the score is the weighted mean, and a scorer of weight 0 is only reported', (t) => {
  const result = score([
    { type: 'assertion', check: 'true', weight: 2 },
    { type: 'assertion', check: 'false', weight: 1, threshold: 0 },
    { type: 'assertion', check: 'false', weight: 0 },
  ]);
  t.like(result, { passed: true, score: 0.666667 });
  t.deepEqual(
    result.scorers.map(({ passed }) => passed),
    [true, true, false],
  );
});
