import type { WorkItemId } from '../../ids.ts';
import type { Draft } from '../draft.ts';
import type { NodeScheduledPayload } from '../event-payloads.ts';
import { NEW_RUN } from '../function-run.ts';
import {
  type Arrival,
  type ExecutionState,
  type LiveVisit,
  type MapItemResult,
  type MapProgress,
  NO_MEMORY,
  type NodeOutput,
  visitKey,
  type VisitMemory,
  type VisitScope,
} from '../state.ts';
import type { EventOf } from './event-of.ts';
import { takeOver } from './fold-continuation.ts';
import { foldUndoBegun } from './fold-undo.ts';
import { changeVisit, liveVisit } from './live-visit.ts';

export function foldScheduled(draft: Draft, event: EventOf<'NodeScheduled'>): void {
  const { nodeId, payload } = event;
  const origin = originOf(draft, event);
  draft.startWait = null;
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
    map: beginMap(draft, nodeId, payload),
    signal: null,
    memory: approvedBefore(draft, nodeId, payload),
    childId: null,
    ...(payload.undo !== undefined && { undo: payload.undo }),
    ...origin,
  });
}

type Origin = Pick<LiveVisit, 'scope' | 'item' | 'run' | 'undoes'>;

function originOf(draft: Draft, event: EventOf<'NodeScheduled'>): Origin {
  const { nodeId, payload } = event;
  if (payload.continues !== undefined) {
    const before = liveVisit(draft, nodeId, payload.continues);
    draft.live.delete(visitKey(nodeId, payload.continues));
    return takeOver(draft, before);
  }
  const run = payload.node_kind === 'function' ? NEW_RUN : null;
  if (payload.undoes !== undefined) {
    return { ...foldUndoBegun(draft, payload.undoes), item: null, run };
  }
  const { map } = payload;
  const scope = map === undefined ? scopeOfTokens(draft, event) : scopeOfItem(draft, map);
  return {
    scope: { ...scope, ...carriedInput(draft, visitKey(nodeId, payload.visit)) },
    item: map === undefined ? null : { nodeId: map.node_id, visit: map.visit, index: map.index },
    run,
  };
}

function scopeOfTokens(draft: Draft, { nodeId, payload }: EventOf<'NodeScheduled'>): VisitScope {
  const own = tokensOf(draft, nodeId, payload.visit);
  const tokens = own.length > 0 ? own : tokensOf(draft, nodeId, undefined);
  const output = tokens.at(-1)?.output ?? null;
  const arrivals = payload.node_kind === 'join' ? outputsOf(tokens) : null;
  const taken = new Set(tokens);
  draft.arrivals = draft.arrivals.filter((arrival) => !taken.has(arrival));
  return { data: draft.data, output, ...(arrivals !== null && { arrivals }) };
}

function scopeOfItem(draft: Draft, item: NonNullable<NodeScheduledPayload['map']>): VisitScope {
  const parent = liveVisit(draft, item.node_id, item.visit);
  if (parent.map === null) throw new Error(`${item.node_id} is no map visit`);
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
  return { data: draft.data, output: parent.scope.output };
}

/** The input that a function continued with before a retry, or before this run. */
function carriedInput(draft: Draft, key: string): Pick<VisitScope, 'input'> {
  const { [key]: input, ...others } = draft.carriedInputs;
  if (input === undefined) return {};
  draft.carriedInputs = others;
  return { input };
}

/**
 * The tokens that start the next visit of a node. In a retry, each visit that begins again has its
 * own, and they come first.
 */
export function nextTokens(state: ExecutionState, nodeId: string): readonly Arrival[] {
  return tokensOf(state, nodeId, state.arrivals.find(({ to }) => to === nodeId)?.visit);
}

function tokensOf(
  { arrivals }: ExecutionState,
  nodeId: string,
  visit: number | undefined,
): readonly Arrival[] {
  return arrivals.filter((arrival) => arrival.to === nodeId && arrival.visit === visit);
}

/** The outputs of the nodes that sent the tokens. */
export function outputsOf(tokens: readonly Arrival[]): readonly NodeOutput[] {
  return tokens.flatMap(({ from, output }) => (from === null ? [] : [{ nodeId: from, output }]));
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
