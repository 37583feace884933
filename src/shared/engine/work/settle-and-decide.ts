import { visitKey } from '../../domain/execution/state.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { haveRoom, type Labels } from '../../domain/execution/labels/labels.ts';
import type { NewEvent } from '../../store/commit.ts';
import { type Held, loadHeld } from '../advance/held-execution.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { commitDecided, decideHere, isForScheduler } from './decide-here.ts';
import type { Settleable } from './worker-leases.ts';

export interface SettledFacts {
  readonly facts: readonly ExecutionEvent[];
  /** The same facts as they are stored. */
  readonly stored: readonly NewEvent[];
  readonly labels?: Labels;
}

/**
 * Settles an item with what follows from it; see `decide-here.ts`. The answer is when it was committed;
 * null: nothing is, and the caller commits the facts alone.
 */
export async function settleAndDecide(
  deps: UseCaseDeps,
  found: Settleable,
  settled: SettledFacts,
): Promise<string | null> {
  const { executionId } = found.record;
  const known = deps.heldExecutions.get(executionId);
  if (known !== null && isForScheduler(known)) return null;
  if (known !== null && isAtWork(known, found)) {
    const committedAt = await settleOn(deps, { held: known, found, settled });
    if (committedAt !== 'moved') return committedAt;
  }
  const read = await loadHeld(deps, executionId);
  if (read === null || !isAtWork(read, found)) return null;
  if (isForScheduler(read)) {
    deps.heldExecutions.set(read);
    return null;
  }
  const committedAt = await settleOn(deps, { held: read, found, settled });
  return committedAt === 'moved' ? null : committedAt;
}

function isAtWork({ state }: Held, { record, lease }: Settleable): boolean {
  const visit = state.live.get(visitKey(record.nodeId, record.visit));
  return (
    visit?.workItemId === record.workItemId &&
    visit.phase === 'work' &&
    visit.attempt === lease.ticket.attempt
  );
}

async function settleOn(
  deps: UseCaseDeps,
  of: { readonly held: Held; readonly found: Settleable; readonly settled: SettledFacts },
): Promise<string | null> {
  const { held, found, settled } = of;
  const { labels } = settled;
  if (labels !== undefined && !haveRoom(held.state.labels, labels)) return null;
  const planned = await decideHere(deps, held, { ...settled, settles: [found.lease] });
  if (planned === null) return null;
  const commit = {
    ...planned.commit,
    ...(labels !== undefined && { setsLabels: labels }),
  };
  const verdict = await commitDecided(deps, held, { ...planned, commit });
  if (!verdict.accepted) return verdict.reason === 'moved' ? 'moved' : null;
  deps.workerLeases.forget(found.record.workItemId);
  return verdict.createdAt;
}
