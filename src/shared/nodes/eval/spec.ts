import type { Scorer } from '../../domain/eval/scorer.ts';
import type { Expression } from '../../domain/expression/expression.ts';
import type { OnFail } from '../read-on-fail.ts';

export interface EvalSpec {
  readonly scorers: readonly Scorer[];
  readonly onFail: OnFail;
  /** The value to judge; null: the output of the previous node. */
  readonly input: Expression | null;
}
