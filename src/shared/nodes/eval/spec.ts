import type { Scorer } from '../../domain/eval/scorer.ts';
import type { Expression } from '../../domain/expression/expression.ts';
import type { OnFail } from '../read-on-fail.ts';

export interface EvalSpec {
  readonly scorers: readonly Scorer[];
  readonly onFail: OnFail;
  /** What is judged; null: the output of the node before. */
  readonly input: Expression | null;
}
