import type { EvalSummary } from './tally-cases.ts';

/** Bounds on a summary: `pass_rate` and `mean_score` from below, the others from above. */
export type Thresholds = { readonly [name in ThresholdName]?: number };

export type ThresholdName =
  'pass_rate' | 'mean_score' | 'p50_ms' | 'p95_ms' | 'tokens' | 'cost_usd';

/** Reports show it unchanged. */
export type ThresholdResult = {
  readonly name: ThresholdName;
  readonly bound: number;
  readonly actual: number | null;
  readonly met: boolean;
};

/** Each name, and whether its bound is the least or the most. */
export const THRESHOLDS: Readonly<Record<ThresholdName, 'least' | 'most'>> = {
  pass_rate: 'least',
  mean_score: 'least',
  p50_ms: 'most',
  p95_ms: 'most',
  tokens: 'most',
  cost_usd: 'most',
};

/** An unknown value meets no bound. */
export function judgeThresholds(
  thresholds: Thresholds,
  summary: EvalSummary,
): readonly ThresholdResult[] {
  return (Object.keys(THRESHOLDS) as ThresholdName[]).flatMap((name) => {
    const bound = thresholds[name];
    if (bound === undefined) return [];
    const actual = summary[name];
    const met =
      actual !== null && (THRESHOLDS[name] === 'least' ? actual >= bound : actual <= bound);
    return [{ name, bound, actual, met }];
  });
}
