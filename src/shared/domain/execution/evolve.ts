import type { DefinitionId, ExecutionId, WorkItemId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { hashJson } from '../canonical-json.ts';
import type { Plan } from '../workflow/plan/plan.ts';
import { type Draft, draftOf } from './draft.ts';
import type {
  CarriedApprovalPayload,
  ExecutionEvent,
  NodeCompletedPayload,
  NodeFailedPayload,
  NodeParkedPayload,
  NodeProgressPayload,
  NodeResumedPayload,
  NodeScheduledPayload,
  PauseScope,
  UsagePayload,
  WorkflowEndingPayload,
} from './event.ts';
import { grantedCallsOf } from './granted-calls.ts';
import { mergePatch } from './merge-patch.ts';
import { routeFrom } from './route.ts';
import {
  type ChildEnd,
  type ExecutionState,
  type LiveVisit,
  type MapItemResult,
  type MapProgress,
  NO_MEMORY,
  type NodeOutput,
  visitKey,
  type VisitMemory,
} from './state.ts';

/** An event at its place in the log. */
export type SequencedEvent = ExecutionEvent & { readonly sequence: number };

/**
 * The state after further events. Total over histories the engine wrote: an event that doesn't fit
 * is a broken invariant and throws.
 *
 * With `plan` null the successors of a completed node are not worked out: enough for reading an
 * execution, not for deciding on it.
 */
export function evolve(params: {
  readonly state: ExecutionState;
  readonly events: readonly SequencedEvent[];
  readonly plan: Plan | null;
}): ExecutionState {
  const draft = draftOf(params.state);
  for (const event of params.events) applyEvent(draft, event, params.plan);
  return draft;
}

/** Folds one event into a draft. */
export function applyEvent(draft: Draft, event: SequencedEvent, plan: Plan | null): void {
  if (event.sequence !== draft.sequence + 1) {
    throw new Error(
      `broken history of ${draft.executionId}: event ${event.sequence} after ${draft.sequence}`,
    );
  }
  draft.sequence = event.sequence;
  switch (event.kind) {
    case 'WorkflowStarted': {
      const { payload } = event;
      draft.definitionId = payload.definition_id as DefinitionId;
      draft.workflowId = payload.workflow_id;
      draft.workflowVersion = payload.workflow_version;
      draft.input = payload.input;
      draft.data = payload.input;
      if (plan !== null && plan.startNode !== null) {
        draft.arrivals = [{ from: null, to: plan.startNode, output: null }];
      }
      return applyLineage(draft, payload);
    }
    case 'NodeScheduled':
      return applyScheduled(draft, event.nodeId, event.payload);
    case 'NodeProgress':
      return applyProgress(draft, event.nodeId, event.payload);
    case 'NodeParked':
      return applyParked(draft, event.nodeId, event.payload);
    case 'NodeResumed':
      return applyResumed(draft, event.nodeId, event.payload);
    case 'NodeCompleted':
      return applyCompleted(draft, event.nodeId, event.payload, plan);
    case 'NodeFailed':
      return applyFailed(draft, event.nodeId, event.payload, plan);
    case 'RetryScheduled': {
      const { attempt, visit, work_item_id: workItemId } = event.payload;
      return change(draft, event.nodeId, visit, {
        attempt,
        signal: null,
        ...(workItemId !== undefined && { phase: 'work', workItemId: workItemId as WorkItemId }),
      });
    }
    case 'ChildWorkflowStarted':
      return change(draft, event.nodeId, event.payload.visit, {
        phase: 'child',
        workItemId: null,
        childId: event.payload.child_execution_id as ExecutionId,
      });
    case 'ChildWorkflowCompleted': {
      const { output, ...end } = event.payload;
      return applyChildEnd(draft, event.nodeId, end, (childId) => ({ ok: true, childId, output }));
    }
    case 'ChildWorkflowFailed': {
      const { status, error, error_class: errorClass, ...end } = event.payload;
      return applyChildEnd(draft, event.nodeId, end, (childId) => ({
        ok: false,
        childId,
        status,
        error,
        errorClass,
      }));
    }
    case 'NodeCancelled':
      draft.live.delete(visitKey(event.nodeId, event.payload.visit));
      return;
    case 'NodeSkipped':
      draft.skipped.add(event.nodeId);
      return;
    case 'ApprovalRequested':
      return applyApprovalRequested(draft, event.nodeId, event.payload);
    case 'ApprovalReceived': {
      const { visit, decision, user_id, comment, state_patch } = event.payload;
      return change(draft, event.nodeId, visit, {
        signal: {
          is: 'approval',
          decision,
          userId: user_id,
          comment,
          statePatch: state_patch ?? null,
        },
      });
    }
    case 'TimerStarted':
      if (event.payload.visit === null) draft.workflowTimerStarted = true;
      return;
    case 'TimerFired':
      if (event.nodeId === null || event.payload.visit === null) {
        draft.workflowTimerFired = draft.ending === null;
      } else applyTimerFired(draft, event.nodeId, event.payload.visit);
      return;
    case 'ExternalEventReceived':
      draft.mailbox = [
        ...draft.mailbox,
        {
          sequence: event.sequence,
          correlationKey: event.payload.correlation_key,
          payload: event.payload.payload,
        },
      ];
      return;
    case 'ExecutionPaused': {
      const { scope, by, reason = null } = event.payload;
      draft.pauses = [...withoutPause(draft, scope), { scope, by, reason }];
      return;
    }
    case 'ExecutionResumed':
      draft.pauses = withoutPause(draft, event.payload.scope);
      return;
    case 'WorkflowEnding':
      return applyEnding(draft, event.payload);
    case 'WorkflowCompleted':
      draft.continuedAs = (event.payload.continued_as ?? null) as ExecutionId | null;
      return end(draft, 'completed', null);
    case 'WorkflowFailed':
      return end(draft, 'failed', event.payload.error);
    case 'WorkflowCancelled':
      return end(draft, 'cancelled', null);
    case 'BudgetExceeded':
      if (event.payload.action === 'warn') draft.warned = [...draft.warned, event.payload.account];
      return;
    case 'NodeStarted':
    case 'ToolCallCompleted':
    case 'PolicyViolation':
    case 'ExternalEventWaiting':
      return;
    default:
      throw new Error(`unknown event kind ${(event satisfies never as ExecutionEvent).kind}`);
  }
}

function applyLineage(
  draft: Draft,
  payload: Extract<ExecutionEvent, { kind: 'WorkflowStarted' }>['payload'],
): void {
  const { parent_execution_id: parentId, parent_node_id: nodeId, carried } = payload;
  if (parentId !== undefined && nodeId !== undefined) {
    const visit = payload.parent_visit ?? 0;
    draft.parent = { executionId: parentId as ExecutionId, nodeId, visit };
  }
  draft.depth = payload.depth ?? 0;
  draft.rootId = (payload.root_execution_id ?? null) as ExecutionId | null;
  draft.continuedFrom = (payload.continued_from ?? null) as ExecutionId | null;
  const { retried_from: retried } = payload;
  if (retried !== undefined) {
    const { execution_id: executionId, sequence, node_id: failed, keys_of: keysOf } = retried;
    draft.retriedFrom = { executionId: executionId as ExecutionId, sequence, nodeId: failed };
    draft.keysOf = keysOf as ExecutionId;
  }
  if (carried === undefined) return;
  draft.data = carried.state;
  draft.arrivals = carried.arrivals;
  draft.mailbox = carried.mailbox.map(({ correlation_key: correlationKey, payload: sent }, at) => ({
    // None of its own events: before all that this run is sent.
    sequence: at - carried.mailbox.length,
    correlationKey,
    payload: sent,
  }));
  draft.skipped = new Set(carried.settled_nodes);
  draft.nextVisit = new Map(Object.entries(carried.visits ?? {}));
  addUsage(draft, carried.usage);
  draft.budgetGrants = carried.budget_grants ?? {};
  draft.warned = carried.budgets_warned ?? [];
  draft.carriedMaps = Object.fromEntries((carried.maps ?? []).map((map) => [map.node_id, map]));
  draft.carriedApprovals = approvalsByVisit(carried.approvals ?? []);
  draft.grantedCalls = carried.granted_calls ?? [];
}

function approvalsByVisit(
  approvals: readonly CarriedApprovalPayload[],
): Readonly<Record<string, readonly string[]>> {
  const byVisit: Record<string, readonly string[]> = {};
  for (const { node_id: nodeId, visit, shown_hash: hash } of approvals) {
    const key = visitKey(nodeId, visit);
    byVisit[key] = [...(byVisit[key] ?? []), hash];
  }
  return byVisit;
}

/** What has come in for a node from others. */
export function outputsFor({ arrivals }: ExecutionState, nodeId: string): readonly NodeOutput[] {
  return arrivals.flatMap(({ from, to, output }) =>
    to === nodeId && from !== null ? [{ nodeId: from, output }] : [],
  );
}

function applyScheduled(draft: Draft, nodeId: string, payload: NodeScheduledPayload): void {
  const item = payload.map ?? null;
  let output: JsonValue = null;
  let arrivals: readonly NodeOutput[] | null = null;
  if (item === null) {
    output = draft.arrivals.findLast((arrival) => arrival.to === nodeId)?.output ?? null;
    if (payload.node_kind === 'join') arrivals = outputsFor(draft, nodeId);
    draft.arrivals = draft.arrivals.filter((arrival) => arrival.to !== nodeId);
  } else {
    const parent = required(draft, item.node_id, item.visit);
    if (parent.map === null) throw new Error(`${item.node_id} is no map visit`);
    output = parent.scope.output;
    const { scheduled, carriedAhead } = parent.map;
    // Items are taken in order, so those that were passed over were done before.
    const passed = Math.max(0, item.index - scheduled);
    change(draft, item.node_id, item.visit, {
      map: {
        ...parent.map,
        scheduled: Math.max(scheduled, item.index + 1),
        carriedAhead: carriedAhead - passed,
      },
    });
  }
  // An item that a retry runs again is on its old visit.
  draft.nextVisit.set(nodeId, Math.max(draft.nextVisit.get(nodeId) ?? 0, payload.visit + 1));
  draft.live.set(visitKey(nodeId, payload.visit), {
    nodeId,
    visit: payload.visit,
    nodeKind: payload.node_kind,
    phase: payload.phase,
    attempt: 0,
    workItemId: (payload.work_item_id ?? null) as WorkItemId | null,
    queue: payload.queue ?? null,
    outputKey: payload.output_key ?? null,
    correlationKey: payload.correlation_key ?? null,
    idempotencyKey: payload.idempotency_key ?? null,
    scheduledSequence: draft.sequence,
    scope: { data: draft.data, output, ...(arrivals !== null && { arrivals }) },
    item: item && { nodeId: item.node_id, visit: item.visit, index: item.index },
    map: beginMap(draft, nodeId, payload),
    signal: null,
    memory: approvedBefore(draft, nodeId, payload),
    childId: null,
  });
}

function beginMap(
  draft: Draft,
  nodeId: string,
  { item_count: itemCount, carried_items: indexes = [] }: NodeScheduledPayload,
): MapProgress | null {
  if (itemCount === undefined) return null;
  const { [nodeId]: carried, ...others } = draft.carriedMaps;
  if (carried === undefined) {
    return { itemCount, scheduled: 0, results: new Map(), carriedAhead: 0, carriedVisits: null };
  }
  draft.carriedMaps = others;
  const reused = new Set(indexes);
  const results = carried.done.flatMap(({ index, output }): [number, MapItemResult][] =>
    reused.has(index) ? [[index, { ok: true, output }]] : [],
  );
  return {
    itemCount,
    scheduled: 0,
    results: new Map(results),
    carriedAhead: results.length,
    carriedVisits: { body: carried.body, byIndex: carried.visits },
  };
}

/** What people approved for this visit before it began; a grant is used up by it. */
function approvedBefore(
  draft: Draft,
  nodeId: string,
  { visit, granted_hash: granted }: NodeScheduledPayload,
): VisitMemory | null {
  const carried = draft.carriedApprovals[visitKey(nodeId, visit)] ?? [];
  if (granted !== undefined) {
    draft.grantedCalls = draft.grantedCalls.toSpliced(draft.grantedCalls.indexOf(granted), 1);
  }
  const approvedHashes = granted === undefined ? carried : [...carried, granted];
  return approvedHashes.length === 0 ? null : { ...NO_MEMORY, approvedHashes };
}

/** The end of a child that nobody waits for any more counts only for what it used. */
function applyChildEnd(
  draft: Draft,
  nodeId: string,
  payload: {
    readonly visit: number;
    readonly child_execution_id: string;
    readonly usage?: UsagePayload;
  },
  endOf: (childId: ExecutionId) => ChildEnd,
): void {
  addUsage(draft, payload.usage);
  if (draft.live.get(visitKey(nodeId, payload.visit))?.phase !== 'child') return;
  const end = endOf(payload.child_execution_id as ExecutionId);
  change(draft, nodeId, payload.visit, { signal: { is: 'child_ended', end } });
}

/** A decision that came first stands: it was accepted, and only not answered yet. */
function applyTimerFired(draft: Draft, nodeId: string, visit: number): void {
  if (required(draft, nodeId, visit).signal !== null) return;
  change(draft, nodeId, visit, { signal: { is: 'timer_fired' } });
}

function applyCompleted(
  draft: Draft,
  nodeId: string,
  payload: NodeCompletedPayload,
  plan: Plan | null,
): void {
  const visit = required(draft, nodeId, payload.visit);
  draft.live.delete(visitKey(nodeId, payload.visit));
  draft.stepsExecuted += 1;
  addUsage(draft, payload.usage);
  if (visit.nodeKind === 'model' && visit.memory !== null) {
    const granted = grantedCallsOf(payload.output, visit.memory.approvedHashes);
    draft.grantedCalls = [...draft.grantedCalls, ...granted];
  }
  let data: JsonObject = draft.data;
  if (visit.outputKey !== null) data = { ...data, [visit.outputKey]: payload.output };
  if (payload.state_patch !== undefined) data = mergePatch(data, payload.state_patch);
  draft.data = data;
  if (payload.event_sequence !== undefined) {
    draft.mailbox = draft.mailbox.filter((entry) => entry.sequence !== payload.event_sequence);
  }
  if (visit.item !== null) {
    recordItem(draft, visit.item, { ok: true, output: payload.output });
  } else if (plan !== null) {
    routeFrom({
      draft,
      plan,
      nodeId,
      on: 'success',
      output: payload.output,
      targets: payload.targets ?? null,
    });
  }
}

function applyFailed(
  draft: Draft,
  nodeId: string,
  payload: NodeFailedPayload,
  plan: Plan | null,
): void {
  addUsage(draft, payload.usage);
  const visit = required(draft, nodeId, payload.visit);
  if (payload.retryable) {
    const isCounted = payload.counted !== false;
    const memory = visit.memory ?? NO_MEMORY;
    return change(draft, nodeId, payload.visit, {
      // Of an item put back on its queue the attempts are counted anew.
      attempt: payload.attempt,
      signal: {
        is: 'retry',
        delayMs: payload.retry_delay_ms ?? 0,
        ...(!isCounted && { counted: false }),
      },
      ...(!isCounted && { memory: { ...memory, uncounted: memory.uncounted + 1 } }),
    });
  }
  draft.live.delete(visitKey(nodeId, payload.visit));
  const { signal } = visit;
  // Approved, and ended by a budget or a policy all the same: the approval was accepted.
  if (signal?.is === 'approval' && signal.decision === 'approved' && signal.statePatch !== null) {
    draft.data = mergePatch(draft.data, signal.statePatch);
  }
  const { error, error_class: errorClass } = payload;
  if (draft.ending !== null) {
    const failure = { nodeId, error: `finalizer ${nodeId} failed: ${error}`, errorClass };
    draft.ending = { ...draft.ending, finalizerFailure: draft.ending.finalizerFailure ?? failure };
  } else if (visit.item !== null) {
    recordItem(draft, visit.item, { ok: false, error });
  } else if (plan !== null) {
    const output = { error, error_class: errorClass };
    const led = routeFrom({ draft, plan, nodeId, on: 'failure', output, targets: null });
    if (!led) draft.fatal ??= { nodeId, error: `node ${nodeId} failed: ${error}`, errorClass };
  }
}

function applyProgress(draft: Draft, nodeId: string, payload: NodeProgressPayload): void {
  if (!payload.kept) return;
  const memory = required(draft, nodeId, payload.visit).memory ?? NO_MEMORY;
  change(draft, nodeId, payload.visit, {
    memory: { ...memory, progress: { ...memory.progress, [payload.name]: payload.data } },
  });
}

function applyParked(draft: Draft, nodeId: string, payload: NodeParkedPayload): void {
  addUsage(draft, payload.usage);
  const { visit, approval, correlation_key: correlationKey } = payload;
  const memory = required(draft, nodeId, visit).memory ?? NO_MEMORY;
  if (approval === undefined) {
    return change(draft, nodeId, visit, {
      phase: 'event',
      correlationKey: correlationKey ?? null,
      workItemId: null,
      memory,
    });
  }
  const { description, shown } = approval;
  change(draft, nodeId, visit, {
    phase: 'approval',
    workItemId: null,
    memory: { ...memory, asked: shown },
    signal: { is: 'ask', description, shown },
  });
}

function applyApprovalRequested(
  draft: Draft,
  nodeId: string,
  payload: { readonly visit: number; readonly shown?: JsonObject },
): void {
  const { visit, shown } = payload;
  if (shown === undefined) return;
  const { memory, signal, attempt } = required(draft, nodeId, visit);
  // What has just been approved counts, though a budget that is used up comes in between.
  const approved = signal?.is === 'approval' ? (memory?.asked ?? null) : null;
  if (signal?.is === 'approval' && signal.statePatch !== null) {
    draft.data = mergePatch(draft.data, signal.statePatch);
  }
  change(draft, nodeId, visit, {
    phase: 'approval',
    signal: null,
    workItemId: null,
    // So does the failure before it: what goes on is the next attempt.
    attempt: signal?.is === 'retry' && signal.counted !== false ? attempt + 1 : attempt,
    memory: { ...withApproved(memory ?? NO_MEMORY, approved), asked: shown },
  });
}

function withApproved(memory: VisitMemory, approved: JsonObject | null): VisitMemory {
  if (approved === null) return memory;
  return { ...memory, approvedHashes: [...memory.approvedHashes, hashJson(approved)] };
}

function applyResumed(draft: Draft, nodeId: string, payload: NodeResumedPayload): void {
  const { visit, event_sequence: sequence, payload: sent, approved } = payload;
  if (sequence !== undefined) {
    draft.mailbox = draft.mailbox.filter((entry) => entry.sequence !== sequence);
  }
  if (payload.state_patch !== undefined) draft.data = mergePatch(draft.data, payload.state_patch);
  const { budget_account: account } = payload;
  if (account !== undefined) {
    const grants = (draft.budgetGrants[account] ?? 0) + 1;
    draft.budgetGrants = { ...draft.budgetGrants, [account]: grants };
  }
  const memory = required(draft, nodeId, visit).memory ?? NO_MEMORY;
  change(draft, nodeId, visit, {
    phase: 'work',
    signal: null,
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

function addUsage(draft: Draft, usage: UsagePayload | undefined): void {
  if (usage === undefined) return;
  const { inputTokens, outputTokens, costUsd } = draft.usage;
  draft.usage = {
    inputTokens: inputTokens + usage.input_tokens,
    outputTokens: outputTokens + usage.output_tokens,
    costUsd: costUsd + (usage.cost_usd ?? 0),
  };
}

function recordItem(
  draft: Draft,
  item: { readonly nodeId: string; readonly visit: number; readonly index: number },
  result: MapItemResult,
): void {
  const parent = draft.live.get(visitKey(item.nodeId, item.visit));
  // The map may have ended before its last items did: their results are of no use any more.
  if (parent === undefined || parent.map === null) return;
  const results = ownResults(draft, parent.map.results).set(item.index, result);
  change(draft, item.nodeId, item.visit, { map: { ...parent.map, results } });
}

type MapResults = Map<number, MapItemResult>;

/** Copied once in a fold: a copy for every item would take a map of thousands seconds to fold. */
function ownResults(draft: Draft, results: ReadonlyMap<number, MapItemResult>): MapResults {
  const known = owned.get(draft) ?? new WeakMap();
  owned.set(draft, known);
  const own = known.get(results) ?? new Map(results);
  known.set(own, own);
  return own;
}

/** The results that each draft has copied and may therefore change. */
const owned = new WeakMap<Draft, WeakMap<ReadonlyMap<number, MapItemResult>, MapResults>>();

function applyEnding(draft: Draft, payload: WorkflowEndingPayload): void {
  const { outcome, error, error_class: errorClass = 'error', node_id: nodeId = null } = payload;
  draft.ending = {
    outcome,
    failure: error === undefined ? null : { nodeId, error, errorClass },
    finalizerFailure: null,
  };
  draft.arrivals = [];
  draft.fatal = null;
  draft.workflowTimerFired = false;
  // Only a cancel ends what is paused, and its finalizers are to run.
  draft.pauses = [];
}

function withoutPause({ pauses }: Draft, scope: PauseScope): Draft['pauses'] {
  return pauses.filter((pause) => pause.scope !== scope);
}

function end(draft: Draft, status: 'completed' | 'failed' | 'cancelled', error: string | null) {
  draft.status = status;
  draft.error = error;
  draft.live.clear();
  draft.arrivals = [];
  draft.ending = null;
  draft.pauses = [];
}

function change(draft: Draft, nodeId: string, visit: number, patch: Partial<LiveVisit>): void {
  draft.live.set(visitKey(nodeId, visit), { ...required(draft, nodeId, visit), ...patch });
}

function required(draft: Draft, nodeId: string, visit: number): LiveVisit {
  const found = draft.live.get(visitKey(nodeId, visit));
  if (found === undefined) {
    throw new Error(
      `broken history of ${draft.executionId}: ${visitKey(nodeId, visit)} is not live at ${draft.sequence}`,
    );
  }
  return found;
}
