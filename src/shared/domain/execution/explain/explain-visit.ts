import { isJsonObject } from '../../json.ts';
import type { ExecutionId } from '../../ids.ts';
import { type LiveVisit, visitKey } from '../state.ts';
import type { Blocker } from './blocker.ts';
import { explainChild } from './explain-child.ts';
import { explainWork } from './explain-work.ts';
import type { ChildFacts } from './facts.ts';
import { explainFunction } from './explain-function.ts';
import { timerOf } from './questions.ts';
import { blockerOf, isAboutToBeDone, isPast, type Scene } from './scene.ts';

/** Explains the wait of a live visit. Null: it has no wait of its own. */
export function explainVisit(
  scene: Scene,
  visit: LiveVisit,
  children: ReadonlyMap<ExecutionId, ChildFacts>,
): Blocker | null {
  // The visit has an undecided signal, which counts as a blocker of the whole execution.
  if (visit.signal !== null) return null;
  switch (visit.phase) {
    case 'none':
      return null;
    case 'work':
      return explainWork(scene, visit);
    case 'approval':
      return explainApproval(scene, visit);
    case 'timer':
      return explainTimer(scene, visit);
    case 'event':
    case 'either':
      return explainEvent(scene, visit);
    case 'map':
      return explainMap(scene, visit);
    case 'child':
      return explainChild(scene, children, {
        ...visit,
        since: timing(scene, visit).since,
        waits: `node ${visit.nodeId} waits for`,
        receiver: `node ${visit.nodeId}`,
        told: 'a scheduler, which delivers the result',
      });
    case 'suspended':
      // The decision on its next turn is what a function waits for that has yielded.
      return visit.run?.suspension?.yields === true ? null : explainFunction(scene, visit);
  }
}

function explainApproval(scene: Scene, visit: LiveVisit): Blocker {
  const asked = scene.history.asked.get(visitKey(visit.nodeId, visit.visit));
  const about = asked?.payload.description ?? null;
  const what = about === null ? `node ${visit.nodeId}` : `node ${visit.nodeId}: ${about}`;
  const isBudget = isJsonObject(visit.memory?.asked?.['budget'] ?? null);
  return blockerOf(visit, {
    ...timing(scene, visit),
    code: isBudget ? 'budget_used_up' : 'awaiting_approval',
    message: isBudget
      ? `${what}; its work continues once a person grants it`
      : `a person must decide on ${what}`,
    ...(asked !== undefined && { since: asked.createdAt }),
    unblockedBy: 'POST /executions/{id}/approve, or: svc execution approve',
  });
}

function explainTimer(scene: Scene, visit: LiveVisit): Blocker {
  const times = timing(scene, visit);
  if (times.until === null) {
    return blockerOf(visit, {
      ...times,
      code: 'timer_missing',
      message: `node ${visit.nodeId} waits for a timer that does not exist`,
      unblockedBy: 'a cancel: nothing can end the wait any more; start the workflow again',
    });
  }
  return blockerOf(visit, {
    ...times,
    code: 'timer_until',
    message: `node ${visit.nodeId} ${times.overdue ? 'waited for a time that has come' : 'waits for its time'}`,
    unblockedBy: times.overdue ? 'a scheduler, which fires the timer' : 'its time',
  });
}

function explainEvent(scene: Scene, visit: LiveVisit): Blocker {
  const key = visit.correlationKey ?? '';
  return blockerOf(visit, {
    ...timing(scene, visit),
    code: 'awaiting_event',
    message: `node ${visit.nodeId} waits for an external event with correlation key "${key}"`,
    unblockedBy: 'POST /executions/{id}/external-event, or: svc execution send-event',
    details: { correlationKey: key },
  });
}

/** Its items are visits of their own, with their own blockers. */
function explainMap(scene: Scene, visit: LiveVisit): Blocker {
  const done = visit.map?.results.size ?? 0;
  const total = visit.map?.itemCount ?? 0;
  return blockerOf(visit, {
    ...timing(scene, visit),
    code: 'map_items_under_way',
    message: `${done} of ${total} items of map ${visit.nodeId} are done`,
    unblockedBy: 'its items',
    details: { done, total },
  });
}

function timing(
  scene: Scene,
  visit: LiveVisit,
): Pick<Blocker, 'since' | 'until' | 'overdue' | 'moving'> {
  const { nodeId } = visit;
  const name = timerOf(visit);
  const until = name === null ? null : (scene.facts.timers.get(name) ?? null);
  const overdue = isPast(scene, until);
  return {
    since: scene.history.scheduledAt.get(visitKey(nodeId, visit.visit)) ?? null,
    until,
    overdue,
    moving: overdue && until !== null && isAboutToBeDone(scene, until),
  };
}
