import { hashJson } from '../domain/canonical-json.ts';
import { badRequest, conflict } from '../domain/errors.ts';
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
      const shownHash = checkShown(visit, params.shownHash ?? null);
      const received = newEvent(
        {
          kind: 'ApprovalReceived',
          nodeId: visit.nodeId,
          payload: {
            visit: visit.visit,
            decision,
            user_id: userId,
            comment,
            ...(shownHash !== null && { shown_hash: shownHash }),
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

/** The hash of what the open approval shows; throws when the caller decided on something else. */
function checkShown({ nodeId, memory }: LiveVisit, decidedOn: string | null): string | null {
  const shown = memory?.asked ?? null;
  const shownHash = shown === null ? null : hashJson(shown);
  if (decidedOn === null || decidedOn === shownHash) return shownHash;
  throw conflict(`what the approval of ${nodeId} shows is not what was decided on; look again`, {
    node_id: nodeId,
    shown_hash: shownHash,
    decided_on: decidedOn,
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
