import type { FunctionRun } from '../../../domain/execution/function-run.ts';
import { visitKey } from '../../../domain/execution/state.ts';
import type { ClaimedItem } from '../../../store/store.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { knownExecution } from './function-executions.ts';
import { type JournalPage, PAGE_ENTRIES_MAX, readPage } from './read-entries.ts';

/** The parts of a turn that a worker gets with the item of a durable function. */
export interface OpenedTurn {
  readonly turn: number;
  readonly mode: FunctionRun['mode'];
  readonly cancelRequested: boolean;
  readonly journal: JournalPage;
}

/** Null: the node no longer waits for the item. */
export async function openTurn(deps: UseCaseDeps, item: ClaimedItem): Promise<OpenedTurn | null> {
  const { executionId, tenantId, nodeId, visit: number, workItemId } = item.ticket;
  // Another process may have decided on it since this one saw it.
  deps.functionExecutions.drop(executionId);
  const known = await knownExecution(deps, { executionId, tenantId });
  const visit = known?.state.live.get(visitKey(nodeId, number));
  const run = visit?.run ?? null;
  if (known === null || run === null || visit?.workItemId !== workItemId) return null;
  const journal = await readPage(deps, { known, visit, run, from: 0, limit: PAGE_ENTRIES_MAX });
  const cancelRequested = run.cause?.is === 'cancelled';
  return { turn: run.turn, mode: run.mode, cancelRequested, journal };
}
