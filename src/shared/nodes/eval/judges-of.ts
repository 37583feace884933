import type { JudgeScorer, Scorer } from '../../domain/eval/scorer.ts';

export function judgesOf(scorers: readonly Scorer[]): readonly JudgeScorer[] {
  return scorers.filter((scorer) => scorer.type === 'llm_judge');
}
