import type { ExecutionId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Caller, ExecutionRef } from '../caller.ts';
import { hashJson } from '../../domain/canonical-json.ts';
import { badRequest, conflict } from '../../domain/errors.ts';
import { isPausedByOperator, type LiveVisit } from '../../domain/execution/state.ts';
import { openFunctionApprovals } from '../../domain/execution/function-waits.ts';
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
  /** Hash of the shown call; a hash other than that of the open approval is a 409. */
  readonly shownHash?: string | null;
  /** The wait of a durable function; absent: any open approval. */
  readonly step?: string | null;
  /** Decided only while this is the last sequence; absent: at any sequence. */
  readonly atSequence?: number;
}

export interface ApprovalAnswer {
  readonly executionId: ExecutionId;
  readonly accepted: boolean;
  /** Not decided, as the execution was no longer at `atSequence`. */
  readonly moved?: true;
  /** Null when no approval was open. */
  readonly nodeId: string | null;
  readonly step?: string;
}

/**
 * Records a person's decision on an open approval. If two reviewers race, exactly one is accepted:
 * the second finds the approval decided.
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
      const open = isTerminal(row.status) ? [] : [...state.live.values()].flatMap(openOf);
      const chosen = chooseOpen(open, params);
      if (chosen === null) {
        const answer = { executionId: row.executionId, accepted: false, nodeId: null };
        return { commit: null, answer };
      }
      const { decision, userId, comment, statePatch } = params;
      const { visit, shownHash, step } = chosen;
      if (step !== null && statePatch !== null) {
        throw badRequest('the approval of a durable function patches no state: its output may');
      }
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
            ...(step !== null && { step }),
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
        answer: {
          executionId: row.executionId,
          accepted: true,
          nodeId: visit.nodeId,
          ...(step !== null && { step }),
        },
      };
    },
  });
}

/** An approval that waits for a decision. */
interface OpenApproval {
  readonly visit: LiveVisit;
  /** Hash of the shown call; null: the approval is of a step of the workflow, and shows nothing. */
  readonly shownHash: string | null;
  /** The wait of a durable function, which may have several; null: the visit itself waits. */
  readonly step: string | null;
}

function openOf(visit: LiveVisit): readonly OpenApproval[] {
  if (visit.phase === 'approval' && visit.signal === null) {
    const shown = visit.memory?.asked ?? null;
    return [{ visit, shownHash: shown === null ? null : hashJson(shown), step: null }];
  }
  return openFunctionApprovals(visit).map(({ shownHash, identity: step }) => ({
    visit,
    shownHash,
    step,
  }));
}

/**
 * The approval the decision is about: of several visits of one node the one that shows what was decided
 * on, or, when the caller doesn't say, the oldest. Throws when none shows it.
 */
function chooseOpen(
  open: readonly OpenApproval[],
  { nodeId, shownHash = null, step = null }: ApprovalDecision,
): OpenApproval | null {
  const named = open.filter(
    (one) =>
      (nodeId === null || one.visit.nodeId === nodeId) && (step === null || one.step === step),
  );
  const [oldest] = named;
  if (oldest === undefined) return null;
  const meant = shownHash === null ? named : named.filter((one) => one.shownHash === shownHash);
  const [chosen] = meant;
  if (chosen === undefined) {
    throw conflict('no open approval shows what was decided on; look at what is open now', {
      node_id: oldest.visit.nodeId,
      shown_hash: oldest.shownHash,
      decided_on: shownHash,
    });
  }
  const nodes = [...new Set(meant.map(({ visit }) => visit.nodeId))];
  if (nodes.length > 1) {
    throw badRequest(`several approvals are open, name one as node_id: ${nodes.join(', ')}`);
  }
  const steps = [...new Set(meant.map((one) => one.step))];
  if (steps.length === 1) return chosen;
  throw badRequest(`several approvals are open, name one as step: ${steps.join(', ')}`);
}
