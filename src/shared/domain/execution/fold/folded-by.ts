import type { StepMeter } from '../../expression/step-budget.ts';
import type { Plan } from '../../workflow/plan/plan.ts';

/** What a fold needs beside the events. */
export interface FoldedBy {
  /** Null: the successors of completed nodes are not worked out. */
  readonly plan: Plan | null;
  /** Of the conditions of edges; absent: nobody counts their steps. */
  readonly meter?: StepMeter;
}
