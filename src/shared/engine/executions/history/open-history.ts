import type { ExecutionRef, Reader } from '../../caller.ts';
import { badRequest } from '../../../domain/errors.ts';
import type { Plan } from '../../../domain/workflow/plan/plan.ts';
import type { ExecutionRow } from '../../../store/store.ts';
import { findForCaller } from '../../advance/load-execution.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
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
