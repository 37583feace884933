import { badRequest } from '../domain/errors.ts';
import type { LiveVisit } from '../domain/execution/state.ts';
import { isTerminal } from '../domain/execution/status.ts';
import { changeExecution } from './change-execution.ts';
import { newEvent } from './commit-plan.ts';
import { emptyCommit } from '../store/commit.ts';
import type { EngineDeps } from './deps.ts';
import type { Actor, ApprovalAnswer, ApprovalDecision, ExecutionRef } from './engine.ts';

/**
 * Records a person's decision on an open approval. Of two reviewers racing exactly one is
 * accepted: the second finds the approval decided.
 */
export function decideApproval(
  deps: EngineDeps,
  params: ExecutionRef & Actor & ApprovalDecision,
): Promise<ApprovalAnswer> {
  return changeExecution<ApprovalAnswer>(deps, {
    ...params,
    propose: (state, { row }) => {
      if (params.atSequence !== undefined && row.lastSequence !== params.atSequence) {
        const { executionId } = row;
        return {
          commit: null,
          answer: { executionId, accepted: false, nodeId: null, moved: true },
        };
      }
      const open = isTerminal(row.status)
        ? []
        : state.live
            .values()
            .filter((visit) => visit.phase === 'approval' && visit.signal === null)
            .toArray();
      const visit = chooseVisit(open, params.nodeId);
      if (visit === null) {
        const answer = { executionId: row.executionId, accepted: false, nodeId: null };
        return { commit: null, answer };
      }
      const { decision, userId, comment, statePatch } = params;
      const received = newEvent(
        {
          kind: 'ApprovalReceived',
          nodeId: visit.nodeId,
          payload: {
            visit: visit.visit,
            decision,
            user_id: userId,
            comment,
            ...(statePatch !== null && { state_patch: statePatch }),
          },
        },
        params.actorId,
      );
      return {
        commit: {
          ...emptyCommit(row),
          expectedSequence: row.lastSequence,
          events: [received],
          status: 'running',
          runnable: 'mark',
        },
        answer: { executionId: row.executionId, accepted: true, nodeId: visit.nodeId },
      };
    },
  });
}

/** The visit the decision is about; of several visits of one node the oldest. */
function chooseVisit(open: readonly LiveVisit[], nodeId: string | null): LiveVisit | null {
  if (nodeId !== null) return open.find((visit) => visit.nodeId === nodeId) ?? null;
  const nodes = [...new Set(open.map((visit) => visit.nodeId))];
  if (nodes.length > 1) {
    throw badRequest(`several approvals are open, name one as node_id: ${nodes.join(', ')}`);
  }
  return open[0] ?? null;
}
