import { badRequest } from '../../domain/errors.ts';
import {
  haveRoom,
  type Labels,
  NO_LABELS,
  tellTooMany,
} from '../../domain/execution/labels/labels.ts';
import type { CommitPlan } from '../../store/commit.ts';
import { loadHeld } from '../advance/held-execution.ts';
import { retryWhileMoved } from '../commit/retry-while-moved.ts';
import { commitSettle, commitUnlessMoved, type Settling } from './settle-work-item.ts';
import type { Settleable } from './worker-leases.ts';

/*
 * A result with labels appends to the execution that it was judged on, never at its tail: labels of
 * two results that come at once are together no more than an execution may have.
 */

/** When it was settled. */
export async function commitLabelled(
  settling: Settling,
  found: Settleable,
  commit: CommitPlan,
): Promise<string> {
  const { executionId } = found.record;
  const { setsLabels = NO_LABELS } = commit;
  const { committedAt } = await retryWhileMoved(`execution ${executionId}`, async () => {
    const held = await loadHeld(settling.deps, executionId);
    if (held === null) return { committedAt: await commitSettle(settling, found, commit) };
    checkRoom(held.state.labels, setsLabels);
    const expectedSequence = held.state.sequence;
    const at = await commitUnlessMoved(settling, found, { ...commit, expectedSequence });
    return at === null ? null : { committedAt: at };
  });
  return committedAt;
}

export function checkRoom(labels: Labels, added: Labels): void {
  if (haveRoom(labels, added)) return;
  const count = Object.keys({ ...labels, ...added }).length;
  throw badRequest(`labels, with those that it has, ${tellTooMany(count)}, or replace some`);
}
