import type { EvalResult, Scorer } from '../../domain/eval/scorer.ts';
import { END_TARGET, type Entry } from '../../domain/workflow/plan/plan.ts';
import type { EvalSpec } from './spec.ts';

/** The outcome for a result. */
export function concludeEval(
  { scorers, onFail }: EvalSpec,
  of: { readonly result: EvalResult; readonly visit: number },
): Extract<Entry, { do: 'complete' | 'fail' }> {
  const { result, visit } = of;
  if (result.passed || onFail.do === 'warn') return { do: 'complete', output: result };
  if (onFail.do === 'branch' || (onFail.do === 'retry' && visit < onFail.max)) {
    const { to } = onFail.target;
    return { do: 'complete', output: result, targets: to === END_TARGET ? [] : [to] };
  }
  const retried = onFail.do === 'retry' ? ` after ${onFail.max} retries` : '';
  return {
    do: 'fail',
    error: `the evaluation was not passed${retried}: ${describeFailed(scorers, result)}`,
    errorClass: 'eval_failed',
  };
}

/** A judge's reason stays out of it: errors say nothing in the words of others. */
function describeFailed(scorers: readonly Scorer[], { scorers: results }: EvalResult): string {
  return results
    .flatMap(({ name, type, score, passed, reason }, index) => {
      const { weight = 0, threshold = 0 } = scorers[index] ?? {};
      if (passed || weight === 0) return [];
      const why = type === 'llm_judge' ? '' : ` (${reason})`;
      return [`${name} ${score}, below ${threshold}${why}`];
    })
    .join('; ');
}
