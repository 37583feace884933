import type { ExecutionId } from '../../ids.ts';
import type { Draft } from '../draft.ts';
import { type ChildEnd, visitKey } from '../state.ts';
import { addUsage } from './add-usage.ts';
import type { EventOf } from './event-of.ts';
import { foldChildOfFunction } from './fold-function.ts';
import { foldEndedChild } from './fold-undo.ts';
import { changeVisit, liveVisit } from './live-visit.ts';

export function foldChildStarted(draft: Draft, event: EventOf<'ChildWorkflowStarted'>): void {
  const visit = liveVisit(draft, event.nodeId, event.payload.visit);
  // A function waits for several: NodeSuspended has told which.
  if (visit.run !== null) return;
  changeVisit(draft, visit, {
    phase: 'child',
    workItemId: null,
    childId: event.payload.child_execution_id as ExecutionId,
  });
}

export function foldChildCompleted(draft: Draft, event: EventOf<'ChildWorkflowCompleted'>): void {
  const { child_execution_id: childId, output } = event.payload;
  foldChildEnd(draft, event, { ok: true, childId: childId as ExecutionId, output });
}

export function foldChildFailed(draft: Draft, event: EventOf<'ChildWorkflowFailed'>): void {
  const { child_execution_id: id, status, error, error_class: errorClass } = event.payload;
  foldChildEnd(draft, event, { ok: false, childId: id as ExecutionId, status, error, errorClass });
}

/** If the visit no longer waits for the child, only the usage counts. */
function foldChildEnd(
  draft: Draft,
  { nodeId, payload }: EventOf<'ChildWorkflowCompleted' | 'ChildWorkflowFailed'>,
  end: ChildEnd,
): void {
  addUsage(draft, payload.usage);
  foldEndedChild(draft, { nodeId, visit: payload.visit, step: payload.step ?? null });
  const visit = draft.live.get(visitKey(nodeId, payload.visit));
  if (visit !== undefined && visit.run !== null) {
    foldChildOfFunction(draft, visit, { end, step: payload.step ?? '' });
  } else if (visit?.phase === 'child') {
    changeVisit(draft, visit, { signal: { is: 'child_ended', end } });
  }
}
