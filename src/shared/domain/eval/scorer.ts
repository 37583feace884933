import type { Expression } from '../expression/expression.ts';
import type { ModelPart } from '../workflow/parse/parts.ts';

/**
 * One way to judge an output. Each gives a score from 0 to 1 and passes from its `threshold` on;
 * `weight` is its share in the score of the whole, and a scorer of weight 0 is only reported.
 */
export type Scorer = AssertionScorer | LatencyScorer | CostScorer | JudgeScorer;

export type ScorerType = Scorer['type'];

interface ScorerBase {
  /** Unique among the scorers of a list. */
  readonly name: string;
  readonly weight: number;
  readonly threshold: number;
}

export interface AssertionScorer extends ScorerBase {
  readonly type: 'assertion';
  readonly checks: readonly Check[];
}

/** An expression that should be true of the output; its share in the scorer's score. */
export interface Check {
  readonly name: string | null;
  readonly expression: Expression;
  readonly weight: number;
}

export interface LatencyScorer extends ScorerBase {
  readonly type: 'latency';
  readonly maxMs: number;
}

/** One bound or both. */
export interface CostScorer extends ScorerBase {
  readonly type: 'cost';
  readonly maxUsd: number | null;
  /** Input and output together. */
  readonly maxTokens: number | null;
}

export interface JudgeScorer extends ScorerBase {
  readonly type: 'llm_judge';
  /** The criteria of a good output, in words. */
  readonly rubric: string;
  readonly model: ModelPart;
}

/** The result of all scorers. Outputs and reports show it unchanged. */
export type EvalResult = {
  /** Every scorer that has a weight passed. */
  readonly passed: boolean;
  /** Weighted mean, from 0 to 1. */
  readonly score: number;
  readonly scorers: readonly ScorerResult[];
};

export type ScorerResult = {
  readonly name: string;
  readonly type: ScorerType;
  readonly score: number;
  readonly passed: boolean;
  /** For people: what held or did not, with the figures. */
  readonly reason: string;
};
