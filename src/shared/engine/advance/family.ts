import type { Effect } from '../../domain/execution/effect.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { ChildStart, NodeOutcome } from '../../nodes/run.ts';
import type { NewTimer, StartedExecution, TreeUse } from '../../store/commit.ts';
import type { EngineSettings } from '../deps.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/new-event.ts';
import { shardOf } from '../scheduling/shard-of.ts';

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

/** How many executions may descend from one of this tenant. */
export function descendantsMaxOf(tenant: Tenant, settings: EngineSettings): number {
  return tenant.limits.max_descendants ?? settings.descendantsMax;
}

/** What comes of a child that its tree has no room for. */
export function beyondDescendants(
  outcome: NodeOutcome,
  { state, max }: { readonly state: ExecutionState; readonly max: number },
): NodeOutcome {
  if (outcome.ok !== 'child') return outcome;
  return {
    ok: false,
    error:
      `execution ${rootOf(state)} has started ${max} descendants, which is all it may: raise ` +
      `max_descendants of the tenant or scheduler.max_descendants, or start less in one execution`,
    errorClass: 'too_many_descendants',
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
    /** The tenant has a limit of executions. */
    readonly waitsForPlace: boolean;
  },
): StartedExecution {
  const { executionId, definitionId, workflowId, workflowVersion, input } = child;
  const { parent, nodeId, visit, priority, waitsForPlace } = of;
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
      root_execution_id: rootOf(parent),
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
    used: null,
    waitsForPlace,
    takesPlaceOf: null,
  };
}

/** Of a child that began before roots were recorded, the tree is counted from that child on. */
export function rootOf({ rootId, executionId }: ExecutionState): ExecutionId {
  return rootId ?? executionId;
}

/** A child of which nothing has been decided: it has no step behind it, and nothing to clean up. */
export function isUnbegun({ parent, continuedFrom, nextVisit }: ExecutionState): boolean {
  return parent !== null && continuedFrom === null && nextVisit.size === 0;
}

/** What a commit does in the tree of its execution, see `TreeUse`; null: nothing. */
export function treeUseOf(of: {
  readonly base: ExecutionState;
  readonly children: number;
  /** Another run goes on from it. */
  readonly goesOn: boolean;
  readonly startsTimers: readonly NewTimer[];
  readonly descendantsMax: number;
}): TreeUse | null {
  const { base, children, goesOn, startsTimers, descendantsMax } = of;
  const at = { rootExecutionId: rootOf(base), adds: children, descendantsMax };
  if (children > 0) return { ...at, is: 'start' };
  if (startsTimers.some(({ purpose }) => purpose === 'parent_ended')) {
    return { ...at, is: 'end' };
  }
  // Also of a run that goes on: it has a first step of its own. Finalizers run whatever has ended.
  const isFresh = base.live.size === 0 && base.stepsExecuted === 0 && base.ending === null;
  return base.parent !== null && (isFresh || goesOn) ? { ...at, is: 'begin' } : null;
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
    waitsForPlace: false,
    takesPlaceOf: parent === null ? null : state.executionId,
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
  return timer.executionId !== null;
}
