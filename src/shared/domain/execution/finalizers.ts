import type { Plan, RunOn } from '../workflow/plan/plan.ts';
import type { ExecutionEvent } from './event.ts';
import { owesRollback } from './function-run.ts';
import type { ExecutionState, Failure } from './state.ts';
import type { TerminalStatus } from './status.ts';
import { nextUndo } from './undo/due-undo.ts';
import { markOfChildren } from './undo/ending-children.ts';
import { NO_UNDO, tellUndo, type UndoState } from './undo/undo-state.ts';

/** Ids of the finalizers that run after this outcome. */
export function finalizersOf(plan: Plan, outcome: TerminalStatus): readonly string[] {
  return plan.finalizers.filter(({ runOn }) => applies(runOn, outcome)).map(({ nodeId }) => nodeId);
}

function applies(runOn: RunOn, outcome: TerminalStatus): boolean {
  switch (runOn) {
    case 'always':
      return true;
    case 'success':
      return outcome === 'completed';
    case 'failure':
      return outcome !== 'completed';
  }
}

/** The event that ends an execution: WorkflowEnding if something runs first, else the terminal event. */
export function endingEvent(
  plan: Plan,
  of: {
    readonly outcome: TerminalStatus;
    readonly failure: Failure | null;
    /** Undos, or compensations of functions, are to run. */
    readonly comesFirst: boolean;
  },
): ExecutionEvent {
  const { outcome, failure, comesFirst } = of;
  if (!comesFirst && finalizersOf(plan, outcome).length === 0) {
    return terminalEvent(outcome, failure);
  }
  const why = failure && {
    error: failure.error,
    error_class: failure.errorClass,
    node_id: failure.nodeId,
  };
  return { kind: 'WorkflowEnding', nodeId: null, payload: { outcome, ...why } };
}

export function terminalEvent(
  outcome: TerminalStatus,
  failure: Failure | null,
  undone: UndoState = NO_UNDO,
): ExecutionEvent {
  const undo = tellUndo(undone);
  const told = undo === undefined ? {} : { undo };
  switch (outcome) {
    case 'completed':
      return { kind: 'WorkflowCompleted', nodeId: null, payload: {} };
    case 'cancelled':
      return { kind: 'WorkflowCancelled', nodeId: null, payload: told };
    case 'failed': {
      const { error, errorClass, nodeId } = failure ?? UNKNOWN;
      return {
        kind: 'WorkflowFailed',
        nodeId: null,
        payload: { error, error_class: errorClass, node_id: nodeId, ...told },
      };
    }
  }
}

const UNKNOWN: Failure = { nodeId: null, error: 'the execution failed', errorClass: 'error' };

/**
 * The events of an external cancel: everything live is cancelled at once, and undos and finalizers
 * run after it. Empty when the execution is already ending: a cancel changes nothing then. Without a
 * plan none is known, so none runs.
 */
export function cancellationEvents(
  plan: Plan | null,
  state: ExecutionState,
): readonly ExecutionEvent[] {
  if (state.ending !== null && plan !== null) return [];
  const visits = [...state.live.values()];
  const comesFirst =
    visits.some(({ run }) => owesRollback(run)) ||
    (plan !== null && nextUndo(plan, state, 'cancelled') !== null);
  return [
    ...visits.map((visit): ExecutionEvent => ({
      kind: 'NodeCancelled',
      nodeId: visit.nodeId,
      payload: {
        visit: visit.visit,
        reason: 'the execution was cancelled',
        ...(comesFirst && markOfChildren(state, visit)),
      },
    })),
    plan === null
      ? terminalEvent('cancelled', null)
      : endingEvent(plan, { outcome: 'cancelled', failure: null, comesFirst }),
  ];
}
