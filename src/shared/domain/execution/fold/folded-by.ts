import type { StepMeter } from '../../expression/step-budget.ts';
import type { Plan } from '../../workflow/plan/plan.ts';

/** The inputs of a fold besides the events. */
export interface FoldedBy {
  /** Null: the fold does not compute the successors of completed nodes. */
  readonly plan: Plan | null;
  /** The step budget of edge conditions; absent: no limit. */
  readonly meter?: StepMeter;
}
