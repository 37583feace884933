import { stepOfTimer } from '../../domain/execution/effect.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { DueTimer } from '../../store/store.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/commit-plan.ts';
import type { EngineDeps } from '../deps.ts';
import { waitAfterDelay } from '../flow/after-delay.ts';
import { wakeFor } from '../wake/wake-for.ts';
import { shardOf } from './shard-of.ts';

/** Records that a timer of the execution itself has fired; does nothing if another process was faster. */
export async function fireTimer(deps: EngineDeps, timer: DueTimer): Promise<void> {
  const { executionId, purpose, nodeId, visit } = timer;
  const step = stepOfTimer(timer);
  const payload = { purpose, visit, ...(step !== undefined && { step }) };
  const fired = { kind: 'TimerFired', nodeId, payload } as const;
  const commit: CommitPlan = {
    ...emptyCommit(timer),
    firesTimers: [timer.name],
    events: [newEvent(fired, SCHEDULER_ACTOR)],
    // One that has not begun by its deadline waits no longer: it fails.
    leavesQueue: purpose === 'start_deadline',
    ...(purpose === 'start_after' ? await waitAfterDelay(deps, timer) : { runnable: 'mark' }),
  };
  const verdict = await deps.committer.commit(commit);
  if (!verdict.accepted) return;
  deps.report.count('timers_fired', 1, { purpose });
  deps.admission.note(commit, null);
  wakeFor(deps.wake, commit, shardOf(executionId));
}
