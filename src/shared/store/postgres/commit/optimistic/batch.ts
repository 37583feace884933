import type { CommitPlan } from '../../../commit.ts';
import { toUuid } from '../../rows.ts';
import { batchOf, type Batch } from '../batch.ts';
import type { Has } from './parts.ts';

/**
 * In the order of the executions' ids. Sequences are those of the execution, or with `tails` those
 * within the plan.
 */
export function optimisticBatch(plans: readonly CommitPlan[]): {
  readonly batch: Batch;
  readonly has: Has;
} {
  const tails = plans.some(isTail);
  const batch = batchOf(
    plans
      .map((plan, position) => ({
        plan,
        position,
        execution: toUuid(plan.executionId),
        base: tails || plan.create !== null ? 0 : (plan.expectedSequence ?? 0),
      }))
      .toSorted((left, right) => (left.execution < right.execution ? -1 : 1)),
  );
  const has: Has = (flag) => {
    if (flag === 'tails') return tails;
    return flag === 'ends' ? plans.some(isEnd) : batch.has(flag);
  };
  return { batch, has };
}

function isTail({ create, expectedSequence }: CommitPlan): boolean {
  return create === null && expectedSequence === null;
}

function isEnd({ create, status, error }: CommitPlan): boolean {
  return create === null && (status !== null || error !== null);
}
