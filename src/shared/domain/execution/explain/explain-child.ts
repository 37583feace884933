import type { ExecutionId } from '../../ids.ts';
import type { Plan } from '../../workflow/plan/plan.ts';
import { isTerminal } from '../status.ts';
import {
  childrenBeforeRollback,
  endingChildrenOf,
  undosAwaitChildren,
} from '../undo/ending-children.ts';
import { type Blocker, VISITS_MAX } from './blocker.ts';
import type { ChildFacts } from './facts.ts';
import { blockerOf, isAboutToBeDone, type Scene } from './scene.ts';

/** Explains the wait for the end of a child. */
export function explainChild(
  scene: Scene,
  children: ReadonlyMap<ExecutionId, ChildFacts>,
  of: {
    readonly nodeId: string;
    readonly visit: number;
    readonly childId: ExecutionId | null;
    readonly since: string | null;
    /** `node a waits for` */
    readonly waits: string;
    /** Receives the end of the child. */
    readonly receiver: string;
    /** Delivers it. */
    readonly told: string;
  },
): Blocker {
  const { since, waits, receiver, told } = of;
  const child = of.childId === null ? undefined : children.get(of.childId);
  const childId = child?.executionId ?? of.childId;
  const details = {
    ...(childId !== null && { childId }),
    ...(child?.code && { childCode: child.code }),
  };
  if (child !== undefined && isTerminal(child.status)) {
    const endedAt = child.completedAt ?? scene.facts.now;
    return blockerOf(of, {
      code: 'child_end_not_told',
      message: `child execution ${child.executionId} is ${child.status}; ${receiver} has not received the result yet`,
      since: endedAt,
      moving: isAboutToBeDone(scene, endedAt),
      unblockedBy: told,
      details,
    });
  }
  const why = child?.code ? ` (${child.code})` : '';
  return blockerOf(of, {
    since,
    code: 'child_running',
    message: `${waits} the end of child execution ${childId ?? ''}${why}`,
    unblockedBy: `the end of the child: svc execution explain ${childId ?? ''}`,
    details,
  });
}

/** Undos wait for children that their parent has cancelled and that undo their own steps first. */
export function explainEndingChildren(
  scene: Scene,
  plan: Plan,
  children: ReadonlyMap<ExecutionId, ChildFacts>,
): readonly Blocker[] {
  const { state } = scene;
  const held = [
    ...(undosAwaitChildren(plan, state) ? endingChildrenOf(state) : []),
    ...state.live.values().flatMap((visit) => childrenBeforeRollback(state, visit)),
  ];
  return [...new Set(held)].slice(0, VISITS_MAX).map((child) =>
    explainChild(scene, children, {
      ...child,
      since: null,
      waits: `node ${child.nodeId} is over; the undos wait for`,
      receiver: 'the execution',
      told: 'a scheduler, which delivers the result; or another cancel',
    }),
  );
}
