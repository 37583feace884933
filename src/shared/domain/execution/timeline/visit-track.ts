import type { RecordedEvent } from '../event.ts';
import type { ExecutionState, LiveVisit } from '../state.ts';
import { visitKey } from '../state.ts';

/** The activity of a visit over its time: one stretch for each activity, in order. */
export interface VisitTrack {
  readonly nodeId: string;
  readonly visit: number;
  readonly nodeKind: string;
  /** Set on a visit that is one item of a `map` visit. */
  readonly item: LiveVisit['item'];
  /** Number of items of a `map` visit; null: the visit is no map. */
  readonly itemCount: number | null;
  /** Nodes whose completion led here. */
  readonly from: readonly string[];
  /** Sequence of its NodeScheduled. */
  readonly scheduledSequence: number;
  readonly stretches: Stretch[];
  end: VisitEnd | null;
}

export type Activity = 'queued' | 'working' | 'waiting' | 'retrying';

export interface Stretch {
  readonly activity: Activity;
  readonly sequence: number;
  readonly at: number;
  readonly attempt: number;
  /** The child execution that it waits for. */
  readonly childId: string | null;
}

export interface VisitEnd {
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  readonly sequence: number;
  readonly at: number;
  readonly error: string | null;
}

/** Every visit of an execution, by `visitKey`, in the order in which they began. */
export type VisitTracks = Map<string, VisitTrack>;

/** Records the effect of one event; `state` is the fold up to that event. */
export function trackVisit(
  tracks: VisitTracks,
  { event, state }: { readonly event: RecordedEvent; readonly state: ExecutionState },
): void {
  if (endsExecution(event)) return endOpenVisits(tracks, event, state);
  const key = keyOf(event);
  if (key === null) return;
  const live = state.live.get(key);
  const track = tracks.get(key);
  if (live === undefined) {
    if (track !== undefined && track.end === null) track.end = endOf(event);
    return;
  }
  const known = track ?? beginTrack(tracks, { key, live, event });
  noteWork(known, event);
  const activity = activityOf(live);
  const last = known.stretches.at(-1);
  if (last?.activity === activity && last.attempt === live.attempt && !startsChild(event)) return;
  known.stretches.push({
    activity,
    sequence: event.sequence,
    at: Date.parse(event.createdAt),
    attempt: live.attempt,
    childId: live.childId,
  });
}

function beginTrack(
  tracks: VisitTracks,
  begun: { readonly key: string; readonly live: LiveVisit; readonly event: RecordedEvent },
): VisitTrack {
  const { key, live, event } = begun;
  const track: VisitTrack = {
    nodeId: live.nodeId,
    visit: live.visit,
    nodeKind: live.nodeKind,
    item: live.item,
    itemCount: live.map?.itemCount ?? null,
    from: event.kind === 'NodeScheduled' ? event.payload.from : [],
    scheduledSequence: live.scheduledSequence,
    stretches: [],
    end: null,
  };
  tracks.set(key, track);
  return track;
}

/**
 * The history holds no event for a claim. A report says how long the call took, so the stretch
 * before it is split there: the item was queued first.
 */
function noteWork(track: VisitTrack, event: RecordedEvent): void {
  if (event.kind !== 'ToolCallCompleted') return;
  const { duration_ms: durationMs } = event.payload;
  const last = track.stretches.at(-1);
  if (durationMs === undefined || last === undefined || last.activity !== 'working') return;
  const at = Date.parse(event.createdAt) - durationMs;
  if (at <= last.at) return;
  track.stretches.splice(-1, 1, { ...last, activity: 'queued' }, { ...last, at });
}

function activityOf(live: LiveVisit): Activity {
  if (live.signal?.is === 'retry') return 'retrying';
  switch (live.phase) {
    case 'none':
    case 'work':
    case 'map':
      return 'working';
    case 'approval':
    case 'timer':
    case 'event':
    case 'either':
    case 'child':
    case 'suspended':
      return 'waiting';
    default:
      throw new Error(`unknown phase ${live.phase satisfies never as string}`);
  }
}

function keyOf({ nodeId, payload }: RecordedEvent): string | null {
  return nodeId !== null && 'visit' in payload && payload.visit !== null
    ? visitKey(nodeId, payload.visit)
    : null;
}

function startsChild({ kind }: RecordedEvent): boolean {
  return kind === 'ChildWorkflowStarted';
}

function endsExecution({ kind }: RecordedEvent): boolean {
  return kind === 'WorkflowCompleted' || kind === 'WorkflowFailed' || kind === 'WorkflowCancelled';
}

function endOf(event: RecordedEvent): VisitEnd {
  const { sequence, createdAt } = event;
  const at = Date.parse(createdAt);
  switch (event.kind) {
    case 'NodeFailed':
      return { outcome: 'failed', sequence, at, error: event.payload.error };
    case 'NodeCancelled':
      return { outcome: 'cancelled', sequence, at, error: event.payload.reason };
    default:
      return { outcome: 'completed', sequence, at, error: null };
  }
}

/** The end of an execution ends its visits without events of their own. */
function endOpenVisits(tracks: VisitTracks, event: RecordedEvent, state: ExecutionState): void {
  const { sequence, createdAt } = event;
  const at = Date.parse(createdAt);
  for (const [key, track] of tracks) {
    if (track.end === null && !state.live.has(key)) {
      track.end = { outcome: 'cancelled', sequence, at, error: null };
    }
  }
}
