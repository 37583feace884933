import type { LiveVisit, VisitSignal } from '../state.ts';
import { cancelVisitTimer, emit, liveVisitsThat, planNode, type Turn } from '../turn.ts';
import { isJsonObject } from '../../json.ts';
import { childrenBeforeRollback } from '../undo/ending-children.ts';
import { releasesWork } from '../accepted-approvals.ts';
import { answerChild } from './answer-child.ts';
import { handOver, scheduleRollback } from './answer-functions.ts';
import { enterAgain } from './enter-node.ts';
import { resumeWork } from './enter-work.ts';
import { failVisit } from './fail-visit.ts';
import { stopsWhileSuspended } from './function-clock.ts';
import { askApproval, holdUp } from './hold-up.ts';
import { judgeBudget } from './judge-budget.ts';
import { eventFor } from './match-external-events.ts';
import { entryOf } from './visit-entry.ts';

/** Answers external signals to live visits: failures, timers, decisions of people. */
export function answerSignals(turn: Turn): boolean {
  let answered = false;
  for (const visit of liveVisitsThat(turn, ({ signal }) => signal !== null)) {
    if (visit.signal === null || childrenBeforeRollback(turn.draft, visit).length > 0) continue;
    answer(turn, visit, visit.signal);
    answered = true;
  }
  return answered;
}

function answer(turn: Turn, visit: LiveVisit, signal: VisitSignal): void {
  switch (signal.is) {
    case 'retry':
      return retry(turn, visit, signal);
    case 'rollback':
      return scheduleRollback(turn, visit);
    case 'continue':
      return enterAgain(turn, visit, signal.input);
    case 'overdue':
      return endOverdue(turn, visit);
    case 'child_ended':
      return answerChild(turn, visit, signal.end);
    case 'ask':
      return askApproval(turn, {
        node: planNode(turn, visit.nodeId),
        visit: visit.visit,
        question: signal,
      });
    case 'timer_fired':
      return visit.phase === 'approval'
        ? failVisit(turn, {
            ...placeOf(visit),
            error: 'no decision came in time',
            errorClass: 'timeout',
          })
        : endWait(turn, visit);
    case 'approval': {
      cancelVisitTimer(turn, visit);
      const by = signal.userId ?? 'a reviewer';
      if (signal.decision === 'rejected') {
        const comment = signal.comment === null ? '' : `: ${signal.comment}`;
        const error = `approval rejected by ${by}${comment}`;
        return failVisit(turn, { ...placeOf(visit), error, errorClass: 'approval_rejected' });
      }
      const asked = visit.memory?.asked ?? null;
      if (asked !== null && releasesWork(visit)) {
        const account = isJsonObject(asked['budget']) ? asked['budget']['account'] : null;
        return resumeWork(turn, visit, {
          ...(typeof account === 'string'
            ? { budget_account: account, ...eventFor(turn, visit) }
            : { approved: asked }),
          ...(signal.statePatch !== null && { state_patch: signal.statePatch }),
        });
      }
      const output = {
        decision: signal.decision,
        user_id: signal.userId,
        comment: signal.comment,
      };
      return emit(turn, {
        kind: 'NodeCompleted',
        nodeId: visit.nodeId,
        payload: {
          visit: visit.visit,
          output,
          ...(signal.statePatch !== null && { state_patch: signal.statePatch }),
        },
      });
    }
  }
}

function retry(
  turn: Turn,
  visit: LiveVisit,
  { delayMs, counted }: Extract<VisitSignal, { is: 'retry' }>,
): void {
  // Compensations run even if a budget is used up, as finalizers do.
  const held = visit.run?.mode === 'rollback' ? null : judgeBudget(turn);
  if (held !== null) {
    const node = planNode(turn, visit.nodeId);
    return holdUp(turn, { node, visit: visit.visit, attempt: visit.attempt, held });
  }
  handOver(turn, visit);
  const attempt = counted === false ? visit.attempt : visit.attempt + 1;
  // The item that started the previous child is settled, so a new item starts the next child.
  const newItemId = visit.phase === 'child' ? turn.newWorkItemId() : null;
  const workItemId = newItemId ?? visit.workItemId;
  emit(turn, {
    kind: 'RetryScheduled',
    nodeId: visit.nodeId,
    payload: {
      visit: visit.visit,
      attempt,
      delay_ms: delayMs,
      ...(newItemId !== null && { work_item_id: newItemId }),
    },
  });
  if (workItemId === null) return;
  turn.effects.push({
    do: 'retry_work',
    nodeId: visit.nodeId,
    visit: visit.visit,
    attempt,
    workItemId,
    delayMs,
  });
}

/** The time of the visit may count while it waits, so its item may be anywhere. */
function endOverdue(turn: Turn, visit: LiveVisit): void {
  if (visit.workItemId !== null) {
    turn.effects.push({ do: 'revoke_work', workItemId: visit.workItemId });
  }
  const node = planNode(turn, visit.nodeId);
  const took = stopsWhileSuspended(node) ? 'was queued or ran' : 'took';
  const error = `the function ${took} longer than ${(node.nodeTimeoutMs ?? 0) / 1_000} s`;
  failVisit(turn, { ...placeOf(visit), error, errorClass: 'timeout' });
}

function endWait(turn: Turn, visit: LiveVisit): void {
  const entry = entryOf(turn, planNode(turn, visit.nodeId), visit);
  if (entry.do === 'wait' && entry.onTimeout === 'fail') {
    const error = `no external event "${visit.correlationKey ?? ''}" came in time`;
    return failVisit(turn, { ...placeOf(visit), error, errorClass: 'timeout' });
  }
  emit(turn, {
    kind: 'NodeCompleted',
    nodeId: visit.nodeId,
    payload: {
      visit: visit.visit,
      output: visit.correlationKey === null ? null : { timed_out: true },
    },
  });
}

function placeOf({ nodeId, visit, attempt }: LiveVisit) {
  return { nodeId, visit, attempt };
}
