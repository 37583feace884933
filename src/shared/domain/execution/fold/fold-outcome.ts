import type { JsonObject } from '../../json.ts';
import type { WorkItemId } from '../../ids.ts';
import type { Draft } from '../draft.ts';
import { grantedCallsOf } from '../granted-calls.ts';
import { beginsRollback } from '../function-run.ts';
import { mergePatch } from '../merge-patch.ts';
import { routeFrom } from '../route.ts';
import { NO_MEMORY, visitKey } from '../state.ts';
import { addUsage } from './add-usage.ts';
import type { EventOf } from './event-of.ts';
import type { FoldedBy } from './folded-by.ts';
import { foldRollbackDue } from './fold-function.ts';
import {
  foldEndingChildren,
  foldUndoable,
  foldUndoFailed,
  foldUndone,
  isUndo,
} from './fold-undo.ts';
import { changeVisit, liveVisit } from './live-visit.ts';
import { recordItem } from './record-item.ts';

export function foldCompleted(draft: Draft, event: EventOf<'NodeCompleted'>, by: FoldedBy): void {
  const { plan, meter } = by;
  const { nodeId, payload } = event;
  const visit = liveVisit(draft, nodeId, payload.visit);
  foldUndoable(draft, visit, { payload, by });
  if (payload.awaits_children === true) foldEndingChildren(draft, visit);
  draft.live.delete(visitKey(nodeId, payload.visit));
  draft.stepsExecuted += 1;
  addUsage(draft, payload.usage);
  if (payload.labels !== undefined) draft.labels = { ...draft.labels, ...payload.labels };
  if (visit.nodeKind === 'model' && visit.memory !== null) {
    const granted = grantedCallsOf(payload.output, visit.memory.approvedHashes);
    draft.grantedCalls = [...draft.grantedCalls, ...granted];
  }
  let data: JsonObject = draft.data;
  if (visit.outputKey !== null) data = { ...data, [visit.outputKey]: payload.output };
  if (payload.state_patch !== undefined) data = mergePatch(data, payload.state_patch);
  draft.data = data;
  if (payload.event_sequence !== undefined) {
    draft.mailbox = draft.mailbox.filter((entry) => entry.sequence !== payload.event_sequence);
  }
  if (isUndo(visit)) return foldUndone(draft);
  if (visit.item !== null) {
    recordItem(draft, visit.item, { ok: true, output: payload.output });
  } else if (plan !== null) {
    routeFrom({
      draft,
      plan,
      meter,
      nodeId,
      on: 'success',
      output: payload.output,
      targets: payload.targets ?? null,
    });
  }
}

export function foldFailed(
  draft: Draft,
  event: EventOf<'NodeFailed'>,
  { plan, meter }: FoldedBy,
): void {
  const { nodeId, payload } = event;
  addUsage(draft, payload.usage);
  const visit = liveVisit(draft, nodeId, payload.visit);
  if (payload.retryable) {
    const isCounted = payload.counted !== false;
    const memory = visit.memory ?? NO_MEMORY;
    return changeVisit(draft, visit, {
      // Attempts of a requeued item count from 0.
      attempt: payload.attempt,
      signal: {
        is: 'retry',
        delayMs: payload.retry_delay_ms ?? 0,
        ...(!isCounted && { counted: false }),
      },
      ...(!isCounted && { memory: { ...memory, uncounted: memory.uncounted + 1 } }),
    });
  }
  if (payload.awaits_children === true) foldEndingChildren(draft, visit);
  if (payload.rolled_back !== true && beginsRollback(visit.run)) {
    const { error, error_class: errorClass } = payload;
    return foldRollbackDue(draft, visit, { is: 'failed', error, errorClass });
  }
  if (isUndo(visit)) return foldUndoFailed(draft, visit, payload);
  draft.live.delete(visitKey(nodeId, payload.visit));
  const { signal } = visit;
  // A budget or a policy ended the visit after an approval that had been accepted.
  if (signal?.is === 'approval' && signal.decision === 'approved' && signal.statePatch !== null) {
    draft.data = mergePatch(draft.data, signal.statePatch);
  }
  const { error, error_class: errorClass } = payload;
  // How an execution ends that is ending is on record: a function that rolls back adds nothing.
  if (draft.ending !== null && visit.run?.mode === 'rollback') return;
  if (draft.ending !== null) {
    const failure = { nodeId, error: `finalizer ${nodeId} failed: ${error}`, errorClass };
    draft.ending = { ...draft.ending, finalizerFailure: draft.ending.finalizerFailure ?? failure };
  } else if (visit.item !== null) {
    recordItem(draft, visit.item, { ok: false, error });
  } else if (plan !== null) {
    const output = { error, error_class: errorClass };
    const led = routeFrom({ draft, plan, meter, nodeId, on: 'failure', output, targets: null });
    if (!led) draft.fatal ??= { nodeId, error: `node ${nodeId} failed: ${error}`, errorClass };
  }
}

export function foldRetryScheduled(draft: Draft, event: EventOf<'RetryScheduled'>): void {
  const { attempt, visit, work_item_id: workItemId } = event.payload;
  const live = liveVisit(draft, event.nodeId, visit);
  changeVisit(draft, live, {
    attempt,
    signal: null,
    ...(live.run !== null && { run: { ...live.run, turn: live.run.turn + 1 } }),
    ...(workItemId !== undefined && { phase: 'work', workItemId: workItemId as WorkItemId }),
  });
}
