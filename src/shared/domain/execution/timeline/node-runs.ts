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

/** Nodes in the order in which they first began. */
export function summariseNodes(
  tracks: Iterable<VisitTrack>,
  upTo: number,
): ReadonlyMap<string, NodeRun> {
  const runs = new Map<string, NodeRun>();
  for (const track of tracks) {
    if (track.scheduledSequence > upTo) continue;
    const known = runs.get(track.nodeId);
    runs.set(track.nodeId, addVisit(known, track, upTo));
    countItem(runs, track, upTo);
  }
  return runs;
}

/** The end of a visit as of a sequence; null: it was live then. */
export function endAsOf({ end }: VisitTrack, upTo: number): VisitEnd | null {
  return end !== null && end.sequence <= upTo ? end : null;
}

export function statusAsOf(track: VisitTrack, upTo: number): NodeRunStatus {
  return endAsOf(track, upTo)?.outcome ?? lastStretch(track, upTo)?.activity ?? 'queued';
}

function addVisit(known: NodeRun | undefined, track: VisitTrack, upTo: number): NodeRun {
  const end = endAsOf(track, upTo);
  const last = lastStretch(track, upTo);
  const status = end?.outcome ?? last?.activity ?? 'queued';
  const [first] = track.stretches;
  const startedAt = first?.at ?? 0;
  return {
    nodeId: track.nodeId,
    nodeKind: track.nodeKind,
    // One failed or unfinished visit among many is what a reader looks for.
    status: known === undefined ? status : graver(known.status, status, track.item !== null),
    visits: (known?.visits ?? 0) + 1,
    attempts: (last?.attempt ?? 0) + 1,
    startedAt: known?.startedAt ?? startedAt,
    endedAt: end === null || known?.endedAt === null ? null : Math.max(end.at, known?.endedAt ?? 0),
    firstSequence: known?.firstSequence ?? track.scheduledSequence,
    lastSequence: Math.max(
      known?.lastSequence ?? 0,
      end?.sequence ?? last?.sequence ?? track.scheduledSequence,
    ),
    error: end?.error ?? known?.error ?? null,
    childId: last?.childId ?? known?.childId ?? null,
    from: [...new Set([...(known?.from ?? []), ...track.from])],
    progress:
      track.itemCount === null
        ? (known?.progress ?? null)
        : { done: 0, total: track.itemCount, failed: 0 },
  };
}

/** A map shows how far its items are. */
function countItem(runs: Map<string, NodeRun>, track: VisitTrack, upTo: number): void {
  const end = endAsOf(track, upTo);
  if (track.item === null || end === null) return;
  const map = runs.get(track.item.nodeId);
  if (map?.progress === undefined || map.progress === null) return;
  const { done, failed, total } = map.progress;
  const progress = {
    total,
    done: done + (end.outcome === 'completed' ? 1 : 0),
    failed: failed + (end.outcome === 'failed' ? 1 : 0),
  };
  runs.set(track.item.nodeId, { ...map, progress });
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

/** Items of a map run at the same time; other visits of a node follow each other. */
function graver(known: NodeRunStatus, next: NodeRunStatus, areItems: boolean): NodeRunStatus {
  return !areItems || GRAVITY[next] > GRAVITY[known] ? next : known;
}

function lastStretch({ stretches }: VisitTrack, upTo: number) {
  return stretches.findLast(({ sequence }) => sequence <= upTo);
}
