import type { DefinitionId, ExecutionId } from '../../ids.ts';
import type { Draft } from '../draft.ts';
import type { CarriedApprovalPayload, CarriedChildPayload } from '../event-payloads.ts';
import { NO_LABELS } from '../labels/labels.ts';
import { visitKey } from '../state.ts';
import { byVisit } from '../undo/ending-children.ts';
import type { EndingChild } from '../undo/undo-state.ts';
import { addUsage } from './add-usage.ts';
import type { EventOf } from './event-of.ts';
import type { FoldedBy } from './folded-by.ts';

type StartPayload = EventOf<'WorkflowStarted'>['payload'];
type CarriedPayload = NonNullable<StartPayload['carried']>;

export function foldStarted(
  draft: Draft,
  { payload }: EventOf<'WorkflowStarted'>,
  { plan }: FoldedBy,
): void {
  draft.definitionId = payload.definition_id as DefinitionId;
  draft.workflowId = payload.workflow_id;
  draft.workflowVersion = payload.workflow_version;
  draft.input = payload.input;
  draft.labels = payload.labels ?? NO_LABELS;
  draft.startRules = payload.start_rules ?? null;
  draft.data = payload.input;
  if (plan !== null && plan.startNode !== null) {
    draft.arrivals = [{ from: null, to: plan.startNode, output: null }];
  }
  draft.isBatch = payload.is_batch === true;
  foldLineage(draft, payload);
  if (payload.carried !== undefined) foldCarried(draft, payload.carried);
}

/** It has not begun, so nothing has read the input before. */
export function foldBatchClosed(draft: Draft, { payload }: EventOf<'BatchClosed'>): void {
  draft.input = payload.input;
  draft.data = payload.input;
  draft.isBatch = true;
}

function foldLineage(draft: Draft, payload: StartPayload): void {
  const { parent_execution_id: parentId, parent_node_id: nodeId } = payload;
  if (parentId !== undefined && nodeId !== undefined) {
    const visit = payload.parent_visit ?? 0;
    const { parent_step: step } = payload;
    const executionId = parentId as ExecutionId;
    draft.parent = { executionId, nodeId, visit, ...(step !== undefined && { step }) };
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
  const { forked_from: forked } = payload;
  if (forked !== undefined) {
    const { execution_id: executionId, sequence, node_id: nodeId } = forked;
    draft.forkedFrom = { executionId: executionId as ExecutionId, sequence, nodeId };
  }
}

/** The state that an earlier run, or the retried execution, hands over. */
function foldCarried(draft: Draft, carried: CarriedPayload): void {
  draft.data = carried.state;
  draft.arrivals = carried.arrivals;
  draft.mailbox = carried.mailbox.map(({ correlation_key: correlationKey, payload: sent }, at) => ({
    // Not events of this run: they come before all events sent to it.
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
  draft.carriedJournals = Object.fromEntries(
    (carried.journals ?? []).map((of) => [visitKey(of.node_id, of.visit), of.entries]),
  );
  draft.carriedInputs = Object.fromEntries(
    (carried.inputs ?? []).map((of) => [visitKey(of.node_id, of.visit), of.input]),
  );
  draft.carriedApprovals = approvalsByVisit(carried.approvals ?? []);
  draft.grantedCalls = carried.granted_calls ?? [];
  const undoable = (carried.undo ?? []).map(({ node_id: nodeId, item = null, ...of }) => ({
    nodeId,
    item,
    ...of,
    sequence: null,
  }));
  if (undoable.length > 0) draft.undo = { ...draft.undo, pending: undoable };
  const ending = carried.ending_children ?? [];
  if (ending.length > 0) {
    draft.undo = { ...draft.undo, endingChildren: byVisit(ending.map(endingChild)) };
  }
}

function endingChild(of: CarriedChildPayload): EndingChild {
  const { node_id: nodeId, visit, step = null } = of;
  const childId = of.child_execution_id as ExecutionId;
  return { nodeId, visit, step, childId, startedBy: of.parent_execution_id as ExecutionId };
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
