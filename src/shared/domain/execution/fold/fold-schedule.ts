import type { JsonValue } from '../../json.ts';
import type { WorkItemId } from '../../ids.ts';
import type { Draft } from '../draft.ts';
import type { NodeScheduledPayload } from '../event.ts';
import { NEW_RUN } from '../function-run.ts';
import {
  type ExecutionState,
  type MapItemResult,
  type MapProgress,
  NO_MEMORY,
  type NodeOutput,
  visitKey,
  type VisitMemory,
} from '../state.ts';
import type { EventOf } from './event-of.ts';
import { changeVisit, liveVisit } from './live-visit.ts';

export function foldScheduled(draft: Draft, event: EventOf<'NodeScheduled'>): void {
  const { nodeId, payload } = event;
  const item = payload.map ?? null;
  let output: JsonValue = null;
  let arrivals: readonly NodeOutput[] | null = null;
  if (item === null) {
    output = draft.arrivals.findLast((arrival) => arrival.to === nodeId)?.output ?? null;
    if (payload.node_kind === 'join') arrivals = outputsFor(draft, nodeId);
    draft.arrivals = draft.arrivals.filter((arrival) => arrival.to !== nodeId);
  } else {
    const parent = liveVisit(draft, item.node_id, item.visit);
    if (parent.map === null) throw new Error(`${item.node_id} is no map visit`);
    output = parent.scope.output;
    const { scheduled, carriedAhead } = parent.map;
    // Items start in order, so skipped ones were complete before the retry.
    const passed = Math.max(0, item.index - scheduled);
    changeVisit(draft, parent, {
      map: {
        ...parent.map,
        scheduled: Math.max(scheduled, item.index + 1),
        carriedAhead: carriedAhead - passed,
      },
    });
  }
  // An item that a retry runs again keeps its visit number.
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
    run: payload.node_kind === 'function' ? NEW_RUN : null,
  });
}

/** The tokens that other nodes sent to a node. */
export function outputsFor({ arrivals }: ExecutionState, nodeId: string): readonly NodeOutput[] {
  return arrivals.flatMap(({ from, to, output }) =>
    to === nodeId && from !== null ? [{ nodeId: from, output }] : [],
  );
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

/** The approvals of this visit from before it began; the visit uses up a grant. */
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
