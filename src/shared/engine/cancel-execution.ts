import { badRequest } from '../domain/errors.ts';
import type { ExecutionEvent } from '../domain/execution/event.ts';
import type { ExecutionId } from '../domain/ids.ts';
import { changeExecution } from './change-execution.ts';
import { newEvent } from './commit-plan.ts';
import { emptyCommit } from '../store/commit.ts';
import type { EngineDeps } from './deps.ts';
import type { Actor, ExecutionRef } from './engine.ts';

/**
 * Cancels at once: the fact closes the execution and takes back its work in one transaction, so
 * that every fence it had handed out is stale when the caller has the answer.
 */
export function cancelExecution(
  deps: EngineDeps,
  params: ExecutionRef & Actor,
): Promise<{ readonly executionId: ExecutionId }> {
  return changeExecution(deps, {
    ...params,
    propose: (state, { row }) => {
      const answer = { executionId: row.executionId };
      if (row.status === 'cancelled') return { commit: null, answer };
      if (row.status === 'completed' || row.status === 'failed') {
        throw badRequest(`execution ${row.executionId} is ${row.status}`);
      }
      const events: ExecutionEvent[] = [
        ...state.live.values().map(({ nodeId, visit }): ExecutionEvent => ({
          kind: 'NodeCancelled',
          nodeId,
          payload: { visit, reason: 'the execution was cancelled' },
        })),
        { kind: 'WorkflowCancelled', nodeId: null, payload: {} },
      ];
      return {
        commit: {
          ...emptyCommit(row),
          expectedSequence: row.lastSequence,
          events: events.map((event) => newEvent(event, params.actorId)),
          status: 'cancelled',
          revokesAll: true,
          runnable: 'clear',
        },
        answer,
      };
    },
  });
}
