import type { ExecutionRef, Reader } from '../../caller.ts';
import { notFound } from '../../../domain/errors.ts';
import type { Plan } from '../../../domain/workflow/plan/plan.ts';
import type { ExecutionRow } from '../../../store/store.ts';
import { findForCaller } from '../../advance/load-execution.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { redactState } from '../redact-view.ts';
import type { FoldedState } from './state-folds.ts';

export interface FoundExecution {
  readonly row: ExecutionRow;
  readonly plan: Plan;
}

/** A caller's own execution. */
export async function findExecution(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  { executionId }: ExecutionRef,
): Promise<FoundExecution> {
  const { executions } = deps.store;
  const row = await findForCaller({ executions, tenantId, executionId });
  const { plan } = await deps.definitions.get(row.definitionId);
  return { row, plan };
}

/** The state after an event that exists, as it is recorded. */
export async function foldTo(
  deps: UseCaseDeps,
  { row }: FoundExecution,
  sequence: number,
  onto?: FoldedState,
): Promise<FoldedState> {
  const folded = await deps.stateFolds.foldTo(row, sequence, onto);
  if (folded.state.sequence < sequence) throw notFound(`execution ${row.executionId}`);
  return folded;
}

/**
 * The same as the data policy of the workflow lets it be seen. Values that the engine keeps as
 * artifacts stay references, so that the cost does not depend on their size.
 */
export function showState(
  deps: UseCaseDeps,
  { plan }: FoundExecution,
  { state }: FoldedState,
): FoldedState['state'] {
  return redactState(state, plan, deps.pseudonym);
}
