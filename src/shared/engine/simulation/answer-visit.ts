import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { LiveVisit } from '../../domain/execution/state.ts';
import type { EndingChild } from '../../domain/execution/undo/undo-state.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { PlanNode } from '../../domain/workflow/plan/plan.ts';
import { type Attempt, completionFacts, failureFact } from '../advance/outcome-facts.ts';

/** The outcome of a node in a simulation. */
export interface NodeSample {
  /** Its output, the payload of the event that it waits for, or the last state of its child. */
  readonly output?: JsonValue;
  readonly statePatch?: JsonObject;
  /** It fails permanently with this error. */
  readonly error?: string;
  readonly errorClass?: string;
  /** A person's decision; default `approved`. */
  readonly decision?: 'approved' | 'rejected';
}

const CHILD_ID = 'exec_00000000000070008000000000000001';

/** The event that a visit waits for; null: it waits for other visits only. */
export function answerVisit({
  visit,
  node,
  sample,
}: {
  readonly visit: LiveVisit;
  readonly node: PlanNode;
  readonly sample: NodeSample;
}): readonly ExecutionEvent[] | null {
  switch (visit.phase) {
    case 'work':
      return node.kind.afterChild !== undefined && sample.error === undefined
        ? [startChild(visit)]
        : [...settle(visit, node, sample)];
    case 'child':
      return [endChild(visit, sample)];
    case 'approval':
      return [decideApproval(visit, sample)];
    case 'event':
      return [deliver(visit, sample)];
    case 'either':
      return [sample.output === undefined ? fire(visit) : deliver(visit, sample)];
    case 'timer':
      return [fire(visit)];
    case 'map':
    case 'none':
    case 'suspended':
      return null;
  }
}

function settle(visit: LiveVisit, node: PlanNode, sample: NodeSample): readonly ExecutionEvent[] {
  const attempt: Attempt = {
    nodeId: visit.nodeId,
    visit: visit.visit,
    attempt: visit.attempt,
    workItemId: visit.workItemId ?? 'simulated',
  };
  const { error, errorClass = 'simulated' } = sample;
  if (error !== undefined) {
    return [failureFact(attempt, { error, errorClass, verdict: { retryable: false } })];
  }
  return completionFacts(attempt, {
    output: sample.output ?? null,
    statePatch: sample.statePatch ?? {},
    report: node.kind.toolLike ? { tool: node.kind.type } : null,
  });
}

function startChild({ nodeId, visit, attempt, workItemId }: LiveVisit): ExecutionEvent {
  return {
    kind: 'ChildWorkflowStarted',
    nodeId,
    payload: {
      visit,
      attempt,
      work_item_id: workItemId ?? 'simulated',
      child_execution_id: CHILD_ID,
      workflow_id: 'simulated',
      workflow_version: 'simulated',
    },
  };
}

function endChild({ nodeId, visit }: LiveVisit, { output = {} }: NodeSample): ExecutionEvent {
  return {
    kind: 'ChildWorkflowCompleted',
    nodeId,
    payload: {
      visit,
      child_execution_id: CHILD_ID,
      output: isJsonObject(output) ? output : { output },
    },
  };
}

/** The end of a child that its parent has cancelled, and for which undos wait. */
export function cancelChild({ nodeId, visit, step, childId }: EndingChild): ExecutionEvent {
  return {
    kind: 'ChildWorkflowFailed',
    nodeId,
    payload: {
      visit,
      child_execution_id: childId,
      ...(step !== null && { step }),
      status: 'cancelled',
      error: `child execution ${childId} was cancelled`,
      error_class: 'child_cancelled',
    },
  };
}

function decideApproval({ nodeId, visit }: LiveVisit, sample: NodeSample): ExecutionEvent {
  const { decision = 'approved', statePatch } = sample;
  return {
    kind: 'ApprovalReceived',
    nodeId,
    payload: {
      visit,
      decision,
      user_id: null,
      comment: null,
      ...(statePatch !== undefined && { state_patch: statePatch }),
    },
  };
}

function deliver({ nodeId, correlationKey }: LiveVisit, sample: NodeSample): ExecutionEvent {
  return {
    kind: 'ExternalEventReceived',
    nodeId: null,
    payload: { correlation_key: correlationKey ?? nodeId, payload: sample.output ?? null },
  };
}

function fire({ nodeId, visit }: LiveVisit): ExecutionEvent {
  return { kind: 'TimerFired', nodeId, payload: { purpose: 'wait', visit } };
}
