import type { Effect } from '../domain/execution/effect.ts';
import type { ExecutionEvent } from '../domain/execution/event.ts';
import type { ExecutionState } from '../domain/execution/state.ts';
import type { ExecutionId } from '../domain/ids.ts';
import type { ChildStart, NodeOutcome } from '../nodes/run.ts';
import type { NewTimer, StartedExecution } from '../store/commit.ts';
import { newEvent, SCHEDULER_ACTOR } from './new-event.ts';
import { shardOf } from './shard-of.ts';

/*
 * What executions have to do with each other. A child begins in the commit that settles the item of
 * its node, and a run that goes on from another in the commit that ends that one. The end of one is
 * told to the other by a timer that is due at once, a row of the commit that ends it: nothing can be
 * lost between the two, and `fire-timers.ts` carries on however often it is interrupted.
 */

/** An execution is nested in at most so many others: a workflow that starts itself comes to an end. */
export const DEPTH_MAX = 32;

/** What the timer that tells of a child's end is named by, before the child's id. */
export const CHILD_TIMER = 'child:';

/** The outcome, unless it asks for a child that would be nested too deep. */
export function withinDepth(outcome: NodeOutcome, state: ExecutionState): NodeOutcome {
  if (outcome.ok !== 'child' || state.depth < DEPTH_MAX) return outcome;
  return {
    ok: false,
    error: `child executions are nested in at most ${DEPTH_MAX} others`,
    errorClass: 'too_deep',
    final: true,
  };
}

export function startedChild(
  child: ChildStart,
  of: {
    readonly parent: ExecutionState;
    readonly nodeId: string;
    readonly visit: number;
    readonly priority: number;
  },
): StartedExecution {
  const { executionId, definitionId, workflowId, workflowVersion, input } = child;
  const { parent, nodeId, visit, priority } = of;
  const started: ExecutionEvent = {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: {
      workflow_id: workflowId,
      workflow_version: workflowVersion,
      definition_id: definitionId,
      input,
      parent_execution_id: parent.executionId,
      parent_node_id: nodeId,
      parent_visit: visit,
      depth: parent.depth + 1,
    },
  };
  return {
    executionId,
    definitionId,
    workflowId,
    workflowVersion,
    shard: shardOf(executionId),
    priority,
    parentExecutionId: parent.executionId,
    started: newEvent(started, SCHEDULER_ACTOR),
  };
}

export function successorOf(
  state: ExecutionState,
  { executionId, started }: Extract<Effect, { do: 'start_successor' }>,
  priority: number,
): StartedExecution {
  const { definitionId, workflowId, workflowVersion, parent, usage } = state;
  return {
    executionId,
    definitionId,
    workflowId,
    workflowVersion,
    shard: shardOf(executionId),
    priority,
    parentExecutionId: parent?.executionId ?? null,
    started: newEvent(started, SCHEDULER_ACTOR),
    used: usage,
  };
}

/** The children that live visits wait for. */
export function childrenOf(state: ExecutionState): readonly ExecutionId[] {
  return state.live
    .values()
    .filter((visit) => visit.phase === 'child' && visit.signal === null)
    .map(({ childId }) => childId)
    .filter((childId) => childId !== null)
    .toArray();
}

/** Tells a child that nobody waits for it any more. */
export function parentEnded(childId: ExecutionId): NewTimer {
  return {
    executionId: childId,
    name: 'parent_ended',
    when: { delayMs: 0 },
    purpose: 'parent_ended',
    nodeId: null,
    visit: null,
  };
}

/** Tells the parent, if there is one, that this execution has ended. */
export function childEnded(state: ExecutionState): readonly NewTimer[] {
  const { parent, executionId } = state;
  if (parent === null) return [];
  return [
    {
      executionId: parent.executionId,
      name: CHILD_TIMER + executionId,
      when: { delayMs: 0 },
      purpose: 'child_ended',
      nodeId: parent.nodeId,
      visit: parent.visit,
    },
  ];
}

export function isForeign(timer: NewTimer): boolean {
  return timer.executionId !== undefined;
}
