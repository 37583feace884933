import type { Effect } from '../../domain/execution/effect.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { inheritLabels } from '../../domain/execution/labels/label-execution.ts';
import { hasLabels, NO_LABELS } from '../../domain/execution/labels/labels.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { ChildStart, NodeOutcome } from '../../nodes/run.ts';
import type { NewTimer, StartedExecution, TreeUse } from '../../store/commit.ts';
import type { EngineSettings } from '../deps.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/new-event.ts';
import { shardOf } from '../scheduling/shard-of.ts';

/*
 * Relations between executions. A child begins in the commit that settles the item of its node. A
 * run that continues another begins in the commit that ends that one. The end of an execution
 * reaches its parent and its children through timers that are due at once, written by the commit
 * that ends it: nothing can be lost, and an interrupted `fire-timers.ts` continues.
 */

/** The deepest nesting of executions, so that a workflow that starts itself ends. */
export const DEPTH_MAX = 32;

/** Name prefix of the timer for a child's end; the child's id follows. */
export const CHILD_TIMER = 'child:';

/** Name of the timer by which a parent asks a child again for its end. */
export const END_ASKED = 'end_asked';

/** The outcome, or a failure if it requests a child that would be nested too deep. */
export function withinDepth(outcome: NodeOutcome, state: ExecutionState): NodeOutcome {
  if (outcome.ok !== 'child' || state.depth < DEPTH_MAX) return outcome;
  return {
    ok: false,
    error: `child executions are nested in at most ${DEPTH_MAX} others`,
    errorClass: 'too_deep',
    final: true,
  };
}

/** The most descendants that an execution of this tenant may have. */
export function descendantsMaxOf(tenant: Tenant, settings: EngineSettings): number {
  return tenant.limits.max_descendants ?? settings.descendantsMax;
}

/** The outcome of a child that exceeds the limit of its tree. */
export function beyondDescendants(
  outcome: NodeOutcome,
  { state, max }: { readonly state: ExecutionState; readonly max: number },
): NodeOutcome {
  if (outcome.ok !== 'child') return outcome;
  return {
    ok: false,
    error:
      `execution ${rootOf(state)} has started ${max} descendants, which is the limit: raise ` +
      `max_descendants of the tenant or scheduler.max_descendants, or start less in one execution`,
    errorClass: 'too_many_descendants',
    final: true,
  };
}

/** The outcome of a child of an execution that has an ended ancestor. */
export function withoutAncestor(outcome: NodeOutcome): NodeOutcome {
  if (outcome.ok !== 'child') return outcome;
  return {
    ok: false,
    error:
      'an execution that this one descends from has ended, so it starts no child: do the work of ' +
      'this node by hand, or use a node that starts no child',
    errorClass: 'child_failed',
    final: true,
  };
}

export function startedChild(
  child: ChildStart,
  of: {
    readonly parent: ExecutionState;
    readonly nodeId: string;
    readonly visit: number;
    /** The wait of a durable function. */
    readonly step?: string;
    readonly priority: number;
    /** The tenant limits its executions. */
    readonly waitsForPlace: boolean;
  },
): StartedExecution {
  const { executionId, definitionId, workflowId, workflowVersion, input } = child;
  const { parent, nodeId, visit, step, priority, waitsForPlace } = of;
  const labels = inheritLabels(parent.labels, child.labels ?? NO_LABELS);
  const labelled = hasLabels(labels) && { labels };
  const started: ExecutionEvent = {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: {
      workflow_id: workflowId,
      workflow_version: workflowVersion,
      definition_id: definitionId,
      input,
      ...labelled,
      parent_execution_id: parent.executionId,
      parent_node_id: nodeId,
      parent_visit: visit,
      ...(step !== undefined && { parent_step: step }),
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
    ...labelled,
    started: newEvent(started, SCHEDULER_ACTOR),
    used: null,
    waitsForPlace,
    takesPlaceOf: null,
  };
}

/** If a child began before roots were recorded, its tree begins with that child. */
export function rootOf({ rootId, executionId }: ExecutionState): ExecutionId {
  return rootId ?? executionId;
}

/** A child without any decision: it has done no step, and has nothing to clean up. */
export function isUnbegun({ parent, continuedFrom, nextVisit }: ExecutionState): boolean {
  return parent !== null && continuedFrom === null && nextVisit.size === 0;
}

/** How a commit uses the tree of its execution, see `TreeUse`; null: it does not. */
export function treeUseOf(of: {
  readonly base: ExecutionState;
  readonly children: number;
  /** Another run continues it. */
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
  // A run that continues another also has a first step. Finalizers always run.
  const isFresh = base.live.size === 0 && base.stepsExecuted === 0 && base.ending === null;
  return base.parent !== null && (isFresh || goesOn) ? { ...at, is: 'begin' } : null;
}

export function successorOf(
  state: ExecutionState,
  { executionId, started }: Extract<Effect, { do: 'start_successor' }>,
  priority: number,
): StartedExecution {
  const { definitionId, workflowId, workflowVersion, parent, usage, labels } = state;
  return {
    executionId,
    definitionId,
    workflowId,
    workflowVersion,
    shard: shardOf(executionId),
    priority,
    parentExecutionId: parent?.executionId ?? null,
    ...(hasLabels(labels) && { labels }),
    started: newEvent(started, SCHEDULER_ACTOR),
    used: usage,
    waitsForPlace: false,
    takesPlaceOf: parent === null ? null : state.executionId,
  };
}

/**
 * The timer that cancels a child that no visit waits for any more. It names the visit of the parent if
 * undos of the parent wait for the end of the child.
 */
export function parentEnded(
  childId: ExecutionId,
  awaitedBy: { readonly nodeId: string; readonly visit: number } | null,
): NewTimer {
  return {
    executionId: childId,
    name: 'parent_ended',
    when: { delayMs: 0 },
    purpose: 'parent_ended',
    nodeId: awaitedBy?.nodeId ?? null,
    visit: awaitedBy?.visit ?? null,
  };
}

/**
 * The timer that asks a child again whose end undos wait for. A pause of a child that is ending stays. The
 * name is another one than of a parent that has ended: the undos of the child may still start children.
 */
export function endAsked(
  childId: ExecutionId,
  awaitedBy: { readonly nodeId: string; readonly visit: number },
): NewTimer {
  return { ...parentEnded(childId, awaitedBy), name: END_ASKED };
}

/** The timer that reports the end of this execution to its parent, if it has one. */
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
