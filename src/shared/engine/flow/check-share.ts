import { badRequest } from '../../domain/errors.ts';
import { shareOf } from '../../domain/workflow/flow/fairness.ts';
import { type GivenInput, ruledInput } from '../../domain/workflow/flow/ruled-input.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';

/** Throws if the input gives no key of fairness, or no weight. */
export function checkShare({ fairness }: Pick<Plan, 'fairness'>, given: GivenInput): void {
  if (fairness === null) return;
  const found = shareOf(fairness, ruledInput(given));
  if (!found.ok) throw badRequest(found.message);
}
