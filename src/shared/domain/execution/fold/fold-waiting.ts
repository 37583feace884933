import { hashJson } from '../../canonical-json.ts';
import type { WorkItemId } from '../../ids.ts';
import type { JsonObject } from '../../json.ts';
import type { Draft } from '../draft.ts';
import { approvalEntry } from '../function-waits.ts';
import { mergePatch } from '../merge-patch.ts';
import { NO_MEMORY, type StartWait, type VisitMemory } from '../state.ts';
import { addUsage } from './add-usage.ts';
import type { EventOf } from './event-of.ts';
import { answerWait, foldFunctionTimeout, foldFunctionTimer } from './fold-function.ts';
import { changeVisit, liveVisit, memoryOnward } from './live-visit.ts';

export function foldProgress(draft: Draft, event: EventOf<'NodeProgress'>): void {
  const { nodeId, payload } = event;
  if (!payload.kept) return;
  const visit = liveVisit(draft, nodeId, payload.visit);
  // A value that is recorded again is no progress.
  const isNew = visit.memory?.progress[payload.name] === undefined;
  const memory = (isNew ? memoryOnward(visit) : visit.memory) ?? NO_MEMORY;
  changeVisit(draft, visit, {
    memory: { ...memory, progress: { ...memory.progress, [payload.name]: payload.data } },
  });
}

export function foldParked(draft: Draft, event: EventOf<'NodeParked'>): void {
  const { nodeId, payload } = event;
  addUsage(draft, payload.usage);
  const { approval, correlation_key: correlationKey } = payload;
  const visit = liveVisit(draft, nodeId, payload.visit);
  const memory = memoryOnward(visit) ?? NO_MEMORY;
  if (approval === undefined) {
    return changeVisit(draft, visit, {
      phase: 'event',
      correlationKey: correlationKey ?? null,
      workItemId: null,
      memory,
    });
  }
  const { description, shown } = approval;
  changeVisit(draft, visit, {
    phase: 'approval',
    workItemId: null,
    memory: { ...memory, asked: shown },
    signal: { is: 'ask', description, shown },
  });
}

export function foldApprovalRequested(draft: Draft, event: EventOf<'ApprovalRequested'>): void {
  const { shown, step } = event.payload;
  // The approvals of a function change nothing here: NodeSuspended has opened their waits.
  if (shown === undefined || step !== undefined) return;
  const visit = liveVisit(draft, event.nodeId, event.payload.visit);
  const { memory, signal, attempt, run } = visit;
  // An approval counts even if an exhausted budget asks in between.
  const approved = signal?.is === 'approval' ? (memory?.asked ?? null) : null;
  if (signal?.is === 'approval' && signal.statePatch !== null) {
    draft.data = mergePatch(draft.data, signal.statePatch);
  }
  changeVisit(draft, visit, {
    phase: 'approval',
    signal: null,
    // The item of a function that is held up runs its compensations if nobody lets it continue.
    workItemId: run === null ? null : visit.workItemId,
    // A failure before it counts too: the next attempt continues.
    attempt: signal?.is === 'retry' && signal.counted !== false ? attempt + 1 : attempt,
    memory: { ...withApproved(memory ?? NO_MEMORY, approved), asked: shown },
  });
}

export function foldApprovalReceived(draft: Draft, event: EventOf<'ApprovalReceived'>): void {
  const { visit, decision, user_id, comment, state_patch, step } = event.payload;
  if (step !== undefined) {
    const answer = approvalEntry(step, { decision, userId: user_id, comment });
    return answerWait(draft, { nodeId: event.nodeId, visit, identity: step }, { answer });
  }
  changeVisit(draft, liveVisit(draft, event.nodeId, visit), {
    signal: {
      is: 'approval',
      decision,
      userId: user_id,
      comment,
      statePatch: state_patch ?? null,
    },
  });
}

export function foldResumed(draft: Draft, event: EventOf<'NodeResumed'>): void {
  const { nodeId, payload } = event;
  const { event_sequence: sequence, payload: sent, approved } = payload;
  if (sequence !== undefined) {
    draft.mailbox = draft.mailbox.filter((entry) => entry.sequence !== sequence);
  }
  if (payload.state_patch !== undefined) draft.data = mergePatch(draft.data, payload.state_patch);
  const { budget_account: account } = payload;
  if (account !== undefined) {
    const grants = (draft.budgetGrants[account] ?? 0) + 1;
    draft.budgetGrants = { ...draft.budgetGrants, [account]: grants };
  }
  const visit = liveVisit(draft, nodeId, payload.visit);
  const { turn } = payload;
  if (visit.run !== null && turn !== undefined) {
    return changeVisit(draft, visit, { phase: 'work', run: { ...visit.run, turn } });
  }
  const memory = visit.memory ?? NO_MEMORY;
  changeVisit(draft, visit, {
    phase: 'work',
    // An item of its own, after one that a policy or a budget held up.
    ...(visit.run !== null &&
      visit.queue !== null && { run: { ...visit.run, turn: visit.run.turn + 1 } }),
    signal: null,
    ...(visit.undoes !== undefined && { undoes: { ...visit.undoes, error: null } }),
    correlationKey: null,
    workItemId: payload.work_item_id as WorkItemId,
    queue: payload.queue,
    idempotencyKey: payload.idempotency_key,
    memory: {
      ...withApproved(memory, approved ?? null),
      asked: null,
      resumedWith: sent === undefined ? memory.resumedWith : [...memory.resumedWith, sent],
    },
  });
}

function withApproved(memory: VisitMemory, approved: JsonObject | null): VisitMemory {
  if (approved === null) return memory;
  return { ...memory, approvedHashes: [...memory.approvedHashes, hashJson(approved)] };
}

const NO_WAIT: StartWait = { isDelayed: false, hasDeadline: false, isOverdue: false };

export function foldTimerStarted(draft: Draft, { nodeId, payload }: EventOf<'TimerStarted'>): void {
  switch (payload.purpose) {
    case 'start_after':
      draft.startWait = { ...(draft.startWait ?? NO_WAIT), isDelayed: true };
      break;
    case 'start_deadline':
      draft.startWait = { ...(draft.startWait ?? NO_WAIT), hasDeadline: true };
      break;
    default:
      if (payload.visit === null) draft.workflowTimerStarted = true;
  }
  if (payload.purpose === 'function_timeout') foldFunctionTimeout(draft, { nodeId, payload });
}

export function foldTimerFired(draft: Draft, { nodeId, payload }: EventOf<'TimerFired'>): void {
  if (payload.purpose === 'start_after' || payload.purpose === 'start_deadline') {
    return foldStartTimer(draft, payload.purpose);
  }
  if (nodeId === null || payload.visit === null) {
    draft.workflowTimerFired = draft.ending === null;
    return;
  }
  if (payload.purpose === 'function_wait' || payload.purpose === 'function_timeout') {
    return foldFunctionTimer(draft, { nodeId, payload });
  }
  const visit = liveVisit(draft, nodeId, payload.visit);
  // The first decision stays: it was accepted, and merely has no answer yet.
  if (visit.signal === null) changeVisit(draft, visit, { signal: { is: 'timer_fired' } });
}

/** A deadline that passes after the first visit means nothing. */
function foldStartTimer(draft: Draft, purpose: 'start_after' | 'start_deadline'): void {
  if (draft.startWait === null) return;
  draft.startWait =
    purpose === 'start_after'
      ? { ...draft.startWait, isDelayed: false }
      : { ...draft.startWait, isOverdue: true };
}

/** The event waits in the mailbox until a visit takes it. */
export function foldExternalEvent(draft: Draft, event: EventOf<'ExternalEventReceived'>): void {
  const { correlation_key: correlationKey, payload } = event.payload;
  draft.mailbox = [...draft.mailbox, { sequence: draft.sequence, correlationKey, payload }];
}
