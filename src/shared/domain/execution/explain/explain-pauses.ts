import type { Pause } from '../state.ts';
import type { Blocker } from './blocker.ts';
import { blockerOf, type Scene } from './scene.ts';

/** Explains the pauses of the execution and its workflow: actor, time and reason. */
export function explainPauses(scene: Scene): readonly Blocker[] {
  const { state } = scene;
  const pauses = state.pauses.map((pause) =>
    pause.scope === 'workflow' ? explainWorkflowPause(scene) : explainPause(scene, pause),
  );
  const isStillToBeHeld =
    scene.workflowPause !== null && !isHeldByWorkflow(scene) && state.ending === null;
  return isStillToBeHeld ? [explainWorkflowPause(scene), ...pauses] : pauses;
}

/** Its workflow was resumed, but the execution has not been released yet. */
export function waitsForRelease(scene: Scene): boolean {
  return scene.workflowPause === null && isHeldByWorkflow(scene);
}

function isHeldByWorkflow({ state }: Scene): boolean {
  return state.pauses.some(({ scope }) => scope === 'workflow');
}

const WHOLE = { nodeId: null, visit: null };

function explainPause({ history }: Scene, { scope, by, reason }: Pause): Blocker {
  return blockerOf(WHOLE, {
    code: 'paused_by_operator',
    message: `${by} paused it${because(reason)}; events are recorded, but no further step starts`,
    since: history.pausedAt.get(scope) ?? null,
    unblockedBy: 'POST /executions/{id}/resume, or: svc execution resume',
  });
}

function explainWorkflowPause(scene: Scene): Blocker {
  const { state, history, facts, workflowPause } = scene;
  const { workflowId } = state;
  if (workflowPause === null) {
    return blockerOf(WHOLE, {
      code: 'workflow_paused',
      message: `workflow ${workflowId} was paused and has been resumed; the execution is not released yet`,
      since: history.pausedAt.get('workflow') ?? null,
      moving: facts.schedulers.seen > 0,
      unblockedBy: 'a scheduler, which releases all executions that the pause held',
    });
  }
  const { by, reason, pausedAt } = workflowPause;
  const what = isHeldByWorkflow(scene)
    ? 'events are recorded, but no further step starts'
    : 'a scheduler is about to hold the execution, and no further step starts';
  return blockerOf(WHOLE, {
    code: 'workflow_paused',
    message: `${by} paused workflow ${workflowId}${because(reason)}; ${what}`,
    since: pausedAt,
    unblockedBy: 'POST /workflows/{id}/resume, or: svc workflow resume',
  });
}

function because(reason: string | null): string {
  return reason === null ? '' : `: ${reason}`;
}
