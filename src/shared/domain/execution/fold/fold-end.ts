import type { ExecutionId } from '../../ids.ts';
import type { Draft } from '../draft.ts';
import type { EventOf } from './event-of.ts';

export function foldEnding(draft: Draft, { payload }: EventOf<'WorkflowEnding'>): void {
  const { outcome, error, error_class: errorClass = 'error', node_id: nodeId = null } = payload;
  draft.ending = {
    outcome,
    failure: error === undefined ? null : { nodeId, error, errorClass },
    finalizerFailure: null,
  };
  draft.arrivals = [];
  draft.fatal = null;
  draft.workflowTimerFired = false;
  // Only a cancel ends a paused execution, and its finalizers must run.
  draft.pauses = [];
}

export function foldWorkflowCompleted(draft: Draft, event: EventOf<'WorkflowCompleted'>): void {
  draft.continuedAs = (event.payload.continued_as ?? null) as ExecutionId | null;
  foldEnd(draft, 'completed', null);
}

export function foldEnd(
  draft: Draft,
  status: 'completed' | 'failed' | 'cancelled',
  error: string | null,
): void {
  draft.status = status;
  draft.error = error;
  draft.live.clear();
  draft.arrivals = [];
  draft.ending = null;
  draft.pauses = [];
  const { endingChildren, ...undo } = draft.undo;
  if (undo.pending.length > 0 || endingChildren !== undefined)
    draft.undo = { ...undo, pending: [] };
}
