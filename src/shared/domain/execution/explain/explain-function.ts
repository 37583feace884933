import type { FunctionWait } from '../function-run.ts';
import { type LiveVisit, visitKey } from '../state.ts';
import { type Blocker, type BlockerCode } from './blocker.ts';
import { timersOf } from './questions.ts';
import { blockerOf, isAboutToBeDone, isPast, type Scene } from './scene.ts';

/** A suspended function: any of its waits wakes it, and the gravest of them tells what it rests on. */
export function explainFunction(scene: Scene, visit: LiveVisit): Blocker {
  const waits = visit.run?.waits ?? [];
  const [until = null] = timersOf(visit)
    .flatMap((name) => scene.facts.timers.get(name) ?? [])
    .toSorted();
  const overdue = isPast(scene, until);
  const { code, unblockedBy } = judge(waits);
  const key = waits.find(({ correlationKey }) => correlationKey !== null)?.correlationKey;
  const childId = waits.find((wait) => wait.childId !== null)?.childId;
  return blockerOf(visit, {
    code,
    message: `function ${visit.nodeId} is suspended, and waits for ${waits.map(tell).join(' or ')}`,
    since: scene.history.scheduledAt.get(visitKey(visit.nodeId, visit.visit)) ?? null,
    until,
    overdue,
    moving: overdue && until !== null && isAboutToBeDone(scene, until),
    unblockedBy,
    details: {
      attempt: visit.attempt,
      waitsFor: waits.map(({ identity }) => identity),
      ...(key !== undefined && key !== null && { correlationKey: key }),
      ...(childId !== undefined && childId !== null && { childId }),
    },
  });
}

function judge(waits: readonly FunctionWait[]): {
  readonly code: BlockerCode;
  readonly unblockedBy: string;
} {
  const kinds = new Set(waits.map(({ kind }) => kind));
  if (kinds.has('approval')) {
    const unblockedBy = 'POST /executions/{id}/approve with its step, or: svc execution approve';
    return { code: 'awaiting_approval', unblockedBy };
  }
  if (kinds.has('event')) {
    const unblockedBy = 'POST /executions/{id}/external-event, or: svc execution send-event';
    return { code: 'awaiting_event', unblockedBy };
  }
  return kinds.has('child')
    ? { code: 'child_running', unblockedBy: 'the end of the child' }
    : { code: 'timer_until', unblockedBy: 'its time' };
}

function tell({ identity, kind, correlationKey, childId }: FunctionWait): string {
  switch (kind) {
    case 'timer':
      return `the timer ${identity}`;
    case 'event':
      return `an external event with correlation key "${correlationKey ?? ''}" (${identity})`;
    case 'approval':
      return `a decision on ${identity}`;
    case 'child':
      return `the end of child execution ${childId ?? ''} (${identity})`;
  }
}
