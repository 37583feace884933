import type { ExecutionId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Caller, ExecutionRef } from '../caller.ts';
import { hashJson } from '../../domain/canonical-json.ts';
import { badRequest, conflict } from '../../domain/errors.ts';
import { isPausedByOperator, type LiveVisit } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import { holdReferences } from '../artifacts/hold-references.ts';
import { changeExecution } from '../commit/change-execution.ts';
import { newEvent } from '../commit/commit-plan.ts';
import { emptyCommit } from '../../store/commit.ts';
import type { EngineDeps } from '../deps.ts';

export interface ApprovalDecision {
  readonly decision: 'approved' | 'rejected';
  readonly nodeId: string | null;
  readonly userId: string | null;
  readonly comment: string | null;
  readonly statePatch: JsonObject | null;
  /** Of what the decision is about; another than that of the open approval is a 409. */
  readonly shownHash?: string | null;
  /** Decided only while this is the last sequence; absent: whatever it is. */
  readonly atSequence?: number;
}

export interface ApprovalAnswer {
  readonly executionId: ExecutionId;
  readonly accepted: boolean;
  /** Not decided, as the execution was no longer at `atSequence`. */
  readonly moved?: true;
  /** Null when no approval was open. */
  readonly nodeId: string | null;
}

/**
 * Records a person's decision on an open approval. Of two reviewers racing exactly one is
 * accepted: the second finds the approval decided.
 */
export async function decideApproval(
  deps: EngineDeps,
  caller: Caller,
  params: ExecutionRef & ApprovalDecision,
): Promise<ApprovalAnswer> {
  const { tenantId, actorId } = caller;
  const { executionId: asked, statePatch: patch } = params;
  await holdReferences(deps.store.artifacts, {
    tenantId,
    json: JSON.stringify(patch),
    values: [patch],
    what: 'the state patch',
  });
  return changeExecution<ApprovalAnswer>(deps, {
    tenantId,
    executionId: asked,
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
      const visit = chooseVisit(open, params);
      if (visit === null) {
        const answer = { executionId: row.executionId, accepted: false, nodeId: null };
        return { commit: null, answer };
      }
      const { decision, userId, comment, statePatch } = params;
      const shownHash = hashOf(visit);
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
        actorId,
      );
      return {
        commit: {
          ...emptyCommit(row),
          expectedSequence: row.lastSequence,
          events: [received],
          status: isPausedByOperator(state) ? null : 'running',
          runnable: 'mark',
        },
        answer: { executionId: row.executionId, accepted: true, nodeId: visit.nodeId },
      };
    },
  });
}

/**
 * The visit the decision is about: of several visits of one node the one that shows what was decided
 * on, or, when the caller doesn't say, the oldest. Throws when none shows it.
 */
function chooseVisit(
  open: readonly LiveVisit[],
  { nodeId, shownHash = null }: ApprovalDecision,
): LiveVisit | null {
  const named = nodeId === null ? open : open.filter((visit) => visit.nodeId === nodeId);
  const [oldest] = named;
  if (oldest === undefined) return null;
  const meant = shownHash === null ? named : named.filter((visit) => hashOf(visit) === shownHash);
  const [chosen] = meant;
  if (chosen === undefined) {
    throw conflict('no open approval shows what was decided on; look at what is open now', {
      node_id: oldest.nodeId,
      shown_hash: hashOf(oldest),
      decided_on: shownHash,
    });
  }
  const nodes = [...new Set(meant.map((visit) => visit.nodeId))];
  if (nodes.length === 1) return chosen;
  throw badRequest(`several approvals are open, name one as node_id: ${nodes.join(', ')}`);
}

/** Null: a step of the workflow is approved, and nothing is shown. */
function hashOf({ memory }: LiveVisit): string | null {
  const shown = memory?.asked ?? null;
  return shown === null ? null : hashJson(shown);
}
