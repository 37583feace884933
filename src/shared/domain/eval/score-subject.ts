import {
  evaluateExpression,
  isTruthy,
  shareSteps,
  type StepBudget,
} from '../expression/evaluate-expression.ts';
import type { ExpressionScope } from '../expression/expression.ts';
import { quoteExpression } from '../expression/quote-expression.ts';
import type { Judgement } from './judgement.ts';
import type {
  AssertionScorer,
  Check,
  CostScorer,
  EvalResult,
  LatencyScorer,
  Scorer,
  ScorerResult,
} from './scorer.ts';

/** The values to judge. Null: unknown; a scorer that needs the value does not pass. */
export interface Subject {
  /** May hold more names than the scope of a node, if the checks were read with them. */
  readonly scope: ExpressionScope;
  readonly durationMs: number | null;
  readonly tokens: number | null;
  /** US dollars. */
  readonly costUsd: number | null;
}

/**
 * Scores a subject. `judgements` holds what a model said, by name of the scorer; the same subject
 * and judgements always give the same result.
 */
export function scoreSubject(params: {
  readonly scorers: readonly Scorer[];
  readonly subject: Subject;
  readonly judgements: ReadonlyMap<string, Judgement>;
}): EvalResult {
  const steps = shareSteps(params.subject.scope);
  const results = params.scorers.map((scorer): ScorerResult => {
    const { score, reason } = scoreBy(scorer, { ...params, steps });
    const { name, type, threshold } = scorer;
    return { name, type, score: round(score), passed: round(score) >= threshold, reason };
  });
  const counting = params.scorers.map(({ weight }) => weight > 0);
  return {
    passed: results.every(({ passed }, index) => passed || counting[index] !== true),
    score: round(
      mean(params.scorers.map(({ weight }, at) => ({ weight, score: results[at]?.score ?? 0 }))),
    ),
    scorers: results,
  };
}

interface Score {
  readonly score: number;
  readonly reason: string;
}

function scoreBy(
  scorer: Scorer,
  given: {
    readonly subject: Subject;
    readonly judgements: ReadonlyMap<string, Judgement>;
    readonly steps: StepBudget;
  },
): Score {
  switch (scorer.type) {
    case 'assertion':
      return scoreAssertion(scorer, given.subject.scope, given.steps);
    case 'latency':
      return scoreLatency(scorer, given.subject);
    case 'cost':
      return scoreCost(scorer, given.subject);
    case 'llm_judge': {
      const judgement = given.judgements.get(scorer.name);
      if (judgement === undefined) return { score: 0, reason: 'it was not judged' };
      const { ok } = judgement;
      return ok ? judgement : { score: 0, reason: `it was not judged: ${judgement.error}` };
    }
  }
}

const NAMED_MAX = 5;

/** A check that cannot be evaluated does not hold: an output of another shape is a bad output. */
function scoreAssertion(
  { checks }: AssertionScorer,
  scope: ExpressionScope,
  steps: StepBudget,
): Score {
  const broken: string[] = [];
  const shares = checks.map((check) => {
    const result = evaluateExpression(check.expression, scope, steps);
    const holds = result.ok && isTruthy(result.value);
    if (!holds) broken.push(result.ok ? nameOf(check) : result.message);
    return { weight: check.weight, score: holds ? 1 : 0 };
  });
  const total = checks.length === 1 ? '1 check' : `${checks.length} checks`;
  if (broken.length === 0) return { score: 1, reason: `${total}, all hold` };
  const named = broken.slice(0, NAMED_MAX).join('; ');
  const more = broken.length > NAMED_MAX ? '; …' : '';
  return { score: mean(shares), reason: `${broken.length} of ${total} failed: ${named}${more}` };
}

function nameOf({ name, expression }: Check): string {
  return name ?? quoteExpression(expression.source);
}

function scoreLatency({ maxMs }: LatencyScorer, { durationMs }: Subject): Score {
  if (durationMs === null) return { score: 0, reason: 'no duration is known' };
  return {
    score: shareOf(maxMs, durationMs),
    reason: `${round(durationMs)} ms, at most ${maxMs} ms`,
  };
}

function scoreCost({ maxUsd, maxTokens }: CostScorer, { costUsd, tokens }: Subject): Score {
  const scores: Score[] = [];
  if (maxUsd !== null) {
    scores.push(
      costUsd === null
        ? { score: 0, reason: 'no cost in dollars is known' }
        : { score: shareOf(maxUsd, costUsd), reason: `$${round(costUsd)}, at most $${maxUsd}` },
    );
  }
  if (maxTokens !== null) {
    scores.push(
      tokens === null
        ? { score: 0, reason: 'no number of tokens is known' }
        : { score: shareOf(maxTokens, tokens), reason: `${tokens} tokens, at most ${maxTokens}` },
    );
  }
  return {
    score: Math.min(...scores.map(({ score }) => score)),
    reason: scores.map(({ reason }) => reason).join('; '),
  };
}

/** 1 up to the bound; twice as much is worth a half. */
function shareOf(bound: number, measured: number): number {
  return measured <= bound ? 1 : bound / measured;
}

function mean(parts: readonly { readonly weight: number; readonly score: number }[]): number {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const points = parts.reduce((sum, { weight, score }) => sum + weight * score, 0);
  return total === 0 ? 0 : points / total;
}

/** Six digits tell scores apart, and hide what adding thirds leaves behind. */
function round(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
