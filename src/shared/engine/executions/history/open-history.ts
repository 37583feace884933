import type { ExecutionRef, Reader } from '../../caller.ts';
import { badRequest, notFound } from '../../../domain/errors.ts';
import type { ExecutionState } from '../../../domain/execution/state.ts';
import type { RecordedEvent } from '../../../domain/execution/event.ts';
import type { Plan } from '../../../domain/workflow/plan/plan.ts';
import type { ExecutionRow } from '../../../store/store.ts';
import { findForCaller } from '../../advance/load-execution.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { redactState } from '../redact-view.ts';
import type { History } from './history.ts';

export interface OpenHistory {
  readonly row: ExecutionRow;
  readonly plan: Plan;
  readonly history: History;
}

/** A caller's own execution, with its history up to now. */
export async function openHistory(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  { executionId }: ExecutionRef,
): Promise<OpenHistory> {
  const { executions } = deps.store;
  const row = await findForCaller({ executions, tenantId, executionId });
  const { plan } = await deps.definitions.get(row.definitionId);
  return { row, plan, history: await deps.histories.open(row) };
}

/** The sequence that a caller asks for; null: the last one. */
export function sequenceWithin(row: ExecutionRow, asked: number | null): number {
  const sequence = asked ?? row.lastSequence;
  if (sequence <= row.lastSequence) return sequence;
  throw badRequest(
    `execution ${row.executionId} has ${row.lastSequence} events: there is no event ${sequence}`,
  );
}

/**
 * The state after an event, as the data policy of the workflow lets it be seen. Values that the
 * engine keeps as artifacts stay references, so that the cost does not depend on their size.
 */
export async function shownStateAt(
  deps: UseCaseDeps,
  { row, plan, history }: OpenHistory,
  sequence: number,
): Promise<{ readonly state: ExecutionState; readonly event: RecordedEvent | null }> {
  const { state, event } = await history.stateAt(deps.store.executions, sequence);
  if (state.sequence < sequence) throw notFound(`execution ${row.executionId}`);
  return { state: redactState(state, plan, deps.pseudonym), event };
}
