import type { FunctionRun } from '../../../domain/execution/function-run.ts';
import { visitKey } from '../../../domain/execution/state.ts';
import type { ClaimedItem } from '../../../store/store.ts';
import type { Held } from '../../advance/held-execution.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import type { BornItem } from '../waiting-claims.ts';
import { readExecution } from './known-execution.ts';
import { type JournalPage, PAGE_ENTRIES_MAX, readPage } from './read-entries.ts';

/** The parts of a turn that a worker gets with the item of a durable function. */
export interface OpenedTurn {
  readonly turn: number;
  readonly mode: FunctionRun['mode'];
  readonly cancelRequested: boolean;
  readonly journal: JournalPage;
}

/** Null: the node no longer waits for the item. */
export async function openTurn(
  deps: UseCaseDeps,
  item: ClaimedItem | BornItem,
): Promise<OpenedTurn | null> {
  const { executionId, nodeId, visit: number, workItemId } = item.ticket;
  const known = bornIn(deps, item) ?? (await readExecution(deps, executionId));
  const visit = known?.state.live.get(visitKey(nodeId, number));
  const run = visit?.run ?? null;
  if (known === null || run === null || visit?.workItemId !== workItemId) return null;
  const journal = await readPage(deps, { known, visit, run, from: 0, limit: PAGE_ENTRIES_MAX });
  const cancelRequested = run.cause?.is === 'cancelled';
  return { turn: run.turn, mode: run.mode, cancelRequested, journal };
}

/**
 * The execution as the commit left it that leased the item here. Null: the item comes from its queue,
 * and another process may have decided on the execution since this one saw it.
 */
function bornIn({ heldExecutions }: UseCaseDeps, item: ClaimedItem | BornItem): Held | null {
  if (!('bornAt' in item)) return null;
  const held = heldExecutions.get(item.ticket.executionId);
  return held !== null && held.state.sequence >= item.bornAt ? held : null;
}
