import type { VisitEnd, VisitTrack } from './visit-track.ts';

/** All visits of one node together, as of a sequence. */
export interface NodeRun {
  readonly nodeId: string;
  readonly nodeKind: string;
  readonly status: NodeRunStatus;
  readonly visits: number;
  /** Attempts of the last visit, counted from 1. */
  readonly attempts: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Sequence of the first and the last event that changed it. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly error: string | null;
  readonly childId: string | null;
  /** Nodes whose completion led to any of its visits. */
  readonly from: readonly string[];
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly failed: number;
  } | null;
}

export type NodeRunStatus =
  'queued' | 'working' | 'waiting' | 'retrying' | 'completed' | 'failed' | 'cancelled';

/** Nodes in the order in which they first began. The cost of a visit is small: there may be many. */
export function summariseNodes(
  tracks: Iterable<VisitTrack>,
  upTo: number,
): ReadonlyMap<string, NodeRun> {
  const drafts = new Map<string, Draft>();
  for (const track of tracks) {
    if (track.scheduledSequence > upTo) continue;
    const draft = drafts.get(track.nodeId) ?? beginDraft(drafts, track);
    addVisit(draft, track, upTo);
    const map = track.item === null ? undefined : drafts.get(track.item.nodeId);
    if (map !== undefined) countItem(map, track, upTo);
  }
  return new Map(
    [...drafts].map(([nodeId, { sources, ...draft }]) => [
      nodeId,
      { ...draft, from: [...sources] },
    ]),
  );
}

/** The end of a visit as of a sequence; null: it was live then. */
export function endAsOf({ end }: VisitTrack, upTo: number): VisitEnd | null {
  return end !== null && end.sequence <= upTo ? end : null;
}

export function statusAsOf(track: VisitTrack, upTo: number): NodeRunStatus {
  return endAsOf(track, upTo)?.outcome ?? lastStretch(track, upTo)?.activity ?? 'queued';
}

type Draft = { -readonly [Key in Exclude<keyof NodeRun, 'from' | 'progress'>]: NodeRun[Key] } & {
  progress: { done: number; total: number; failed: number } | null;
  readonly sources: Set<string>;
};

function beginDraft(drafts: Map<string, Draft>, track: VisitTrack): Draft {
  const draft: Draft = {
    nodeId: track.nodeId,
    nodeKind: track.nodeKind,
    status: 'completed',
    visits: 0,
    attempts: 1,
    startedAt: track.stretches[0]?.at ?? 0,
    endedAt: null,
    firstSequence: track.scheduledSequence,
    lastSequence: 0,
    error: null,
    childId: null,
    progress: null,
    sources: new Set(),
  };
  drafts.set(track.nodeId, draft);
  return draft;
}

function addVisit(draft: Draft, track: VisitTrack, upTo: number): void {
  const end = endAsOf(track, upTo);
  const last = lastStretch(track, upTo);
  const status = end?.outcome ?? last?.activity ?? 'queued';
  const wasLive = draft.visits > 0 && draft.endedAt === null;
  // Items of a map run at the same time: the one that is furthest from done stands for all.
  if (track.item === null || draft.visits === 0 || GRAVITY[status] > GRAVITY[draft.status]) {
    draft.status = status;
  }
  draft.visits += 1;
  draft.attempts = (last?.attempt ?? 0) + 1;
  draft.endedAt = end === null || wasLive ? null : Math.max(end.at, draft.endedAt ?? 0);
  const lastSequence = end?.sequence ?? last?.sequence ?? track.scheduledSequence;
  draft.lastSequence = Math.max(draft.lastSequence, lastSequence);
  draft.error = end?.error ?? (track.item === null ? null : draft.error);
  draft.childId = last?.childId ?? draft.childId;
  for (const source of track.from) draft.sources.add(source);
  if (track.itemCount !== null) draft.progress = { done: 0, total: track.itemCount, failed: 0 };
}

/** A map shows how far its items are. */
function countItem({ progress }: Draft, track: VisitTrack, upTo: number): void {
  const end = endAsOf(track, upTo);
  if (progress === null || end === null) return;
  if (end.outcome === 'completed') progress.done += 1;
  else if (end.outcome === 'failed') progress.failed += 1;
}

const GRAVITY: Readonly<Record<NodeRunStatus, number>> = {
  completed: 0,
  cancelled: 1,
  failed: 2,
  queued: 3,
  waiting: 4,
  retrying: 5,
  working: 6,
};

function lastStretch({ stretches }: VisitTrack, upTo: number) {
  const last = stretches.at(-1);
  return last !== undefined && last.sequence <= upTo
    ? last
    : stretches.findLast(({ sequence }) => sequence <= upTo);
}
