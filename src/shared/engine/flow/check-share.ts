import { badRequest } from '../../domain/errors.ts';
import { shareOf } from '../../domain/workflow/flow/fairness.ts';
import { fairnessOf, type GivenRules } from '../../domain/workflow/flow/given-rules.ts';
import { type GivenInput, ruledInput } from '../../domain/workflow/flow/ruled-input.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';

/** Throws if the input gives no key of fairness, or no weight. */
export function checkShare(
  plan: Pick<Plan, 'fairness'>,
  { given, ...input }: GivenInput & { readonly given: GivenRules | null },
): void {
  const fairness = fairnessOf(plan, given);
  if (fairness === null) return;
  const found = shareOf(fairness.rule, ruledInput(input));
  if (found.ok) return;
  const whose = fairness.isGiven ? '' : ' of the workflow';
  throw badRequest(`fairness.${found.member}${whose}: ${found.message}`);
}
