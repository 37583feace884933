import { isNotFound } from '../../domain/errors.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { SurplusExecution } from '../../store/flow.ts';
import { changeExecution } from '../commit/change-execution.ts';
import { SCHEDULER_ACTOR } from '../commit/new-event.ts';
import type { EngineDeps } from '../deps.ts';
import { commitOfCancel } from '../executions/cancel-execution.ts';

/**
 * Cancels an execution because a newer one of its key needs its place. Undos and finalizers run as after
 * any cancel, and the execution keeps its place for them: it is noted as leaving, so that no other execution
 * is cancelled for the same start. A process that dies before the note makes the next round find the
 * execution again, already ending.
 */
export async function cancelSurplus(
  deps: EngineDeps,
  of: SurplusExecution & { readonly tenantId: TenantId; readonly isDebounced: boolean },
): Promise<void> {
  const { tenantId, executionId } = of;
  const why = of.isDebounced
    ? 'debounce: a newer start of its key displaced it'
    : 'concurrency.when_full is cancel_oldest: it made room for';
  const newer = of.isDebounced ? `: ${of.for}` : ` ${of.for}`;
  const by = { actorId: SCHEDULER_ACTOR, reason: `${why}${newer}, started by ${of.startedBy}` };
  const outcome = await changeExecution<Outcome>(deps, {
    tenantId,
    executionId,
    propose: async (state, { row }) => {
      if (isTerminal(row.status)) return { commit: null, answer: 'over' };
      const commit = await commitOfCancel(deps, { row, state }, by);
      if (state.ending !== null) return { commit, answer: 'leaves already' };
      return { commit, answer: commit?.status === 'cancelled' ? 'cancelled' : 'leaves' };
    },
  }).catch((error: unknown) => {
    // Retention has removed it meanwhile.
    if (isNotFound(error)) return 'over';
    throw error;
  });
  if (outcome !== 'over' && outcome !== 'cancelled') await deps.store.flow.noteLeaving(executionId);
  if (outcome === 'cancelled' || outcome === 'leaves') {
    deps.report.count('executions_displaced', 1);
  }
}

type Outcome = 'over' | 'cancelled' | 'leaves' | 'leaves already';
