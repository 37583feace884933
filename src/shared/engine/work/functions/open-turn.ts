import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import type { FunctionRun } from '../../../domain/execution/function-run.ts';
import { type LiveVisit, visitKey } from '../../../domain/execution/state.ts';
import { isNotFound, SvcError } from '../../../domain/errors.ts';
import type { ClaimedItem } from '../../../store/store.ts';
import type { Held } from '../../advance/held-execution.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { releaseUnworked } from '../release-work-item.ts';
import type { BornItem } from '../waiting-claims.ts';
import { changeRun, leaseOf, staleFence } from './change-run.ts';
import { readExecution } from './known-execution.ts';
import { type JournalPage, PAGE_ENTRIES_MAX, readPage } from './read-entries.ts';

/** The parts of a turn that a worker gets with the item of a durable function. */
export interface OpenedTurn {
  readonly turn: number;
  readonly mode: FunctionRun['mode'];
  readonly cancelRequested: boolean;
  readonly journal: JournalPage;
}

/**
 * Null: the node no longer waits for the item, or it is pinned to another build. The first turn that a
 * worker with a build opens pins the visit, if its node says so.
 */
export async function openTurn(
  deps: UseCaseDeps,
  item: ClaimedItem | BornItem,
  buildId: string | null,
): Promise<OpenedTurn | null> {
  const read = bornIn(deps, item) ?? (await readExecution(deps, item.ticket.executionId));
  const found = findRun(item, read);
  if (found === null) return null;
  const { known, visit, run } = found;
  if (run.buildId === null) {
    if (buildId !== null && isPinned(found) && !(await pin(deps, item, buildId))) return null;
  } else if (run.buildId !== buildId) {
    // A worker that has recorded entries has the item: this claim is a late copy of the one it sent.
    if (await hasRecorded(deps, { known, run })) return null;
    await releaseUnworked(deps, item.ticket, [{ ...item.ticket, leaseFence: item.leaseFence }]);
    return null;
  }
  const journal = await readFirstPage(deps, { known, visit, run });
  if (journal === null) return null;
  const cancelRequested = run.cause?.is === 'cancelled';
  return { turn: run.turn, mode: run.mode, cancelRequested, journal };
}

/** Whether the last entry of the journal was recorded in this turn. */
async function hasRecorded(
  { store }: UseCaseDeps,
  { known, run }: Pick<FoundRun, 'known' | 'run'>,
): Promise<boolean> {
  const sequence = [...run.recorded.values()].at(-1);
  if (sequence === undefined) return false;
  const { executionId } = known.row;
  const [last] = await store.executions.events({ executionId, after: sequence - 1, limit: 1 });
  return last?.kind === 'StepRecorded' && last.payload.turn === run.turn;
}

/** Null: the execution was removed meanwhile. */
async function readFirstPage(deps: UseCaseDeps, found: FoundRun): Promise<JournalPage | null> {
  try {
    return await readPage(deps, { ...found, from: 0, limit: PAGE_ENTRIES_MAX });
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
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

interface FoundRun {
  readonly known: Held;
  readonly visit: LiveVisit;
  readonly run: FunctionRun;
}

function findRun({ ticket }: ClaimedItem, known: Held | null): FoundRun | null {
  const visit = known?.state.live.get(visitKey(ticket.nodeId, ticket.visit));
  const run = visit?.run ?? null;
  if (known === null || run === null || visit?.workItemId !== ticket.workItemId) return null;
  return { known, visit, run };
}

function isPinned({ known, visit }: FoundRun): boolean {
  const node = known.compiled.plan.nodes.get(visit.nodeId);
  return node?.kind.isPinned?.(node.spec) === true;
}

/** False: the lease is gone, or another turn has pinned the visit. */
async function pin(
  deps: UseCaseDeps,
  { ticket, leaseFence }: ClaimedItem,
  buildId: string,
): Promise<boolean> {
  const { workItemId, nodeId, visit } = ticket;
  const refuse = () => staleFence({ claimed: false });
  const pinned: ExecutionEvent = {
    kind: 'NodePinned',
    nodeId,
    payload: { visit, build_id: buildId },
  };
  try {
    await changeRun(deps, ticket, {
      workItemId,
      leaseFence,
      refuse,
      propose: async ({ turn, found }) => {
        if (turn === null) throw refuse();
        if (turn.run.buildId === buildId) return { events: null, answer: null };
        if (turn.run.buildId !== null) throw refuse();
        return { events: [pinned], commit: { keepsLeases: [leaseOf(found)] }, answer: null };
      },
    });
    return true;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}
