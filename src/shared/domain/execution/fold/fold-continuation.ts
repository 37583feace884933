import type { WorkItemId } from '../../ids.ts';
import type { Draft } from '../draft.ts';
import { NEW_RUN } from '../function-run.ts';
import type { LiveVisit } from '../state.ts';
import type { EventOf } from './event-of.ts';
import { foldEndingChildren } from './fold-undo.ts';
import { changeVisit, liveVisit } from './live-visit.ts';

/*
 * A function that continues as new takes two events. NodeContinuedAsNew, the fact, ends its visit and
 * drops its journal. The visit stays live, without an item, until the decision schedules the next one
 * in its place: at any moment one live visit stands for the function, so nothing else ends meanwhile.
 */

export function foldContinuedAsNew(
  draft: Draft,
  { nodeId, payload }: EventOf<'NodeContinuedAsNew'>,
): void {
  const { input, lease_fence: leaseFence, request_hash: requestHash } = payload;
  const workItemId = payload.work_item_id as WorkItemId;
  const visit = liveVisit(draft, nodeId, payload.visit);
  if (payload.awaits_children === true) foldEndingChildren(draft, visit);
  changeVisit(draft, visit, {
    run: NEW_RUN,
    signal: { is: 'continue', input, by: { workItemId, leaseFence, requestHash } },
  });
}

/** The parts of a visit that the next one takes over, with the new input. */
export function takeOver(
  draft: Draft,
  before: LiveVisit,
): Pick<LiveVisit, 'scope' | 'item' | 'run'> {
  const { nodeId, visit, signal, scope, item } = before;
  if (signal?.is !== 'continue') {
    throw new Error(`broken history of ${draft.executionId}: ${nodeId}#${visit} does not continue`);
  }
  const { input, by } = signal;
  return { scope: { ...scope, input }, item, run: { ...NEW_RUN, begunBy: by } };
}
