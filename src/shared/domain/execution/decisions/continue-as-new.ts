import { evaluateExpression, isTruthy } from '../../expression/evaluate-expression.ts';
import { executionIdFromUuid, type ExecutionId } from '../../ids.ts';
import type { JsonValue } from '../../json.ts';
import type { ContinueAsNew } from '../../workflow/plan/plan.ts';
import { carry } from '../carry/carry.ts';
import type { ExecutionEvent } from '../event.ts';
import type { CarriedChildPayload } from '../event-payloads.ts';
import { hasLabels } from '../labels/labels.ts';
import { scopeOf } from '../route.ts';
import { emit, type Turn } from '../turn.ts';
import { endingChildrenOf } from '../undo/ending-children.ts';
import type { EndingChild } from '../undo/undo-state.ts';
import { failExecution } from './end-execution.ts';

/**
 * Ends a run with a long history and starts a new one with its state and its tokens. It does so only
 * while nothing is live: then only tokens need handing over, and none of them has started anything. A
 * function that continues as new is such a token too. A run without a completed step never hands over,
 * or two runs could do so forever; a visit that continued counts as a step. A run with too many children
 * that are ending keeps them until some have ended: each handover would write all of them again.
 */
export function continueAsNew(turn: Turn): boolean {
  const { plan, draft } = turn;
  if (plan.continueAsNew === null || draft.ending !== null) return false;
  if (endingChildrenOf(draft).length > CARRIED_CHILDREN_MAX) return false;
  const continued = continuedAlone(draft);
  if (continued === null) {
    // The next run counts its visits from 0, so visits that a retry begins again start here.
    const isAtTokens =
      draft.live.size === 0 &&
      draft.arrivals.length > 0 &&
      draft.arrivals.every(({ visit }) => visit === undefined);
    if (!isAtTokens || draft.stepsExecuted === 0) return false;
  }
  const due = isDue(turn, plan.continueAsNew);
  if (typeof due === 'boolean') {
    if (due) handOver(turn, continued);
    return due;
  }
  const error = `continue_as_new could not be judged: ${due.message}`;
  failExecution(turn, { nodeId: null, error, errorClass: 'expression_error' });
  return true;
}

/** About 200 bytes each, in the first event of the next run and in its state. */
export const CARRIED_CHILDREN_MAX = 1_000;

interface Continued {
  readonly nodeId: string;
  readonly output: JsonValue;
  readonly input: JsonValue;
}

/** The function that continues while nothing else is live. Items of maps stay in their run. */
function continuedAlone({ live }: Turn['draft']): Continued | null {
  const [visit] = live.values();
  if (live.size !== 1 || visit === undefined || visit.item !== null) return null;
  const { nodeId, signal, scope } = visit;
  return signal?.is === 'continue' ? { nodeId, output: scope.output, input: signal.input } : null;
}

function isDue(
  { draft }: Turn,
  { afterEvents, when }: ContinueAsNew,
): boolean | { readonly message: string } {
  if (afterEvents !== null && draft.sequence >= afterEvents) return true;
  if (when === null) return false;
  const result = evaluateExpression(when, scopeOf(draft, draft.arrivals.at(-1)?.output ?? null));
  return result.ok ? isTruthy(result.value) : result;
}

function handOver(turn: Turn, continued: Continued | null): void {
  // All kinds of ids are UUIDs from the same source.
  const executionId = executionIdFromUuid(turn.newWorkItemId());
  const started = firstEventOf(turn, executionId, continued);
  turn.effects.push({ do: 'start_successor', executionId, started });
  emit(turn, {
    kind: 'WorkflowCompleted',
    nodeId: null,
    payload: { continued_as: executionId },
  });
}

function firstEventOf(
  { plan, draft }: Turn,
  successor: ExecutionId,
  continued: Continued | null,
): Extract<ExecutionEvent, { kind: 'WorkflowStarted' }> {
  const { parent } = draft;
  const ending = endingChildrenOf(draft);
  // A child that ends later names its visit, so the next run gives that number to no other visit.
  const named = new Set(ending.map(({ nodeId }) => nodeId));
  const counted = [...draft.nextVisit].filter(
    ([id]) => named.has(id) || plan.nodes.get(id)?.kind.countsVisits,
  );
  const visits = counted.length === 0 ? null : Object.fromEntries(counted);
  const carried = carry(draft, { successor, visits });
  return {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: {
      workflow_id: draft.workflowId,
      workflow_version: draft.workflowVersion,
      definition_id: draft.definitionId,
      input: draft.input,
      ...(draft.isBatch && { is_batch: true }),
      ...(hasLabels(draft.labels) && { labels: draft.labels }),
      ...(draft.startRules !== null && { start_rules: draft.startRules }),
      ...(parent !== null && {
        parent_execution_id: parent.executionId,
        parent_node_id: parent.nodeId,
        parent_visit: parent.visit,
        ...(parent.step !== undefined && { parent_step: parent.step }),
      }),
      ...(draft.depth > 0 && { depth: draft.depth }),
      ...(draft.rootId !== null && { root_execution_id: draft.rootId }),
      continued_from: draft.executionId,
      carried: {
        ...carried,
        ...(ending.length > 0 && {
          ending_children: ending.map((child) => carryChild(draft, child)),
        }),
        ...(continued !== null && {
          arrivals: [
            ...carried.arrivals,
            { from: null, to: continued.nodeId, output: continued.output },
          ],
          inputs: [
            {
              node_id: continued.nodeId,
              visit: visits?.[continued.nodeId] ?? 0,
              input: continued.input,
            },
          ],
        }),
      },
    },
  };
}

function carryChild(
  { executionId }: Turn['draft'],
  { nodeId, visit, step, childId, startedBy = executionId }: EndingChild,
): CarriedChildPayload {
  return {
    node_id: nodeId,
    visit,
    ...(step !== null && { step }),
    child_execution_id: childId,
    parent_execution_id: startedBy,
  };
}
