import type { JudgeScorer, Scorer } from '../../domain/eval/scorer.ts';
import type { ModelPart } from '../../domain/workflow/parse/parts.ts';
import { isLimited } from '../model/queue-of-model.ts';

export function judgesOf(scorers: readonly Scorer[]): readonly JudgeScorer[] {
  return scorers.filter((scorer) => scorer.type === 'llm_judge');
}

/**
 * The model whose limits the node keeps to: that of the first judge whose model has some. The node asks one
 * judge after the other, and an item waits below one limit. Null: none has any.
 */
export function limitedModelOf(scorers: readonly Scorer[]): ModelPart | null {
  return judgesOf(scorers).find(({ model }) => isLimited(model))?.model ?? null;
}
