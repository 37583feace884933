import { SvcError } from '../../domain/errors.ts';
import type { Caller, ExecutionRef } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import {
  decideApproval,
  type ApprovalAnswer,
  type ApprovalDecision,
} from '../executions/decide-approval.ts';

/** The result of one decision. A refused one stops none of the others. */
export type DecisionVerdict =
  | { readonly executionId: string; readonly answer: ApprovalAnswer }
  | { readonly executionId: string; readonly refused: SvcError };

/**
 * Records many decisions, each like a request of its own, in their order: two may be about one
 * execution.
 */
export async function decideApprovals(
  deps: EngineDeps,
  caller: Caller,
  { decisions }: { readonly decisions: readonly (ExecutionRef & ApprovalDecision)[] },
): Promise<readonly DecisionVerdict[]> {
  const verdicts: DecisionVerdict[] = [];
  for (const decision of decisions) {
    verdicts.push(await decideOne(deps, caller, decision));
  }
  return verdicts;
}

async function decideOne(
  deps: EngineDeps,
  caller: Caller,
  decision: ExecutionRef & ApprovalDecision,
): Promise<DecisionVerdict> {
  const { executionId } = decision;
  try {
    return { executionId, answer: await decideApproval(deps, caller, decision) };
  } catch (error) {
    if (error instanceof SvcError && error.status < 500) return { executionId, refused: error };
    throw error;
  }
}
