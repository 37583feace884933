import type { RecordedEvent } from '../event.ts';
import type { JsonObject } from '../../json.ts';
import { visitKey } from '../state.ts';

/** The event that set a key of the state. */
export interface KeySetting {
  readonly sequence: number;
  readonly nodeId: string | null;
  readonly kind: string;
  readonly actorId: string;
  readonly createdAt: string;
  /** The decision or external event that it follows from; null: the event itself is the origin. */
  readonly cause: SettingCause | null;
}

export interface SettingCause {
  readonly sequence: number;
  readonly kind: 'ApprovalReceived' | 'ExternalEventReceived';
  readonly actorId: string;
  /** The user that the decision names. */
  readonly userId: string | null;
}

/** The notes of a fold. Later events change them. */
export interface KeySettings {
  /** For each top-level key of the state: what set it last. */
  readonly keys: Map<string, KeySetting>;
  /** Decisions by `visitKey` and external events by sequence that no node has answered yet. */
  readonly causes: Map<string, SettingCause>;
}

/** Records the keys that one event changed; untouched members of a state are shared. */
export function noteKeys(
  { keys, causes }: KeySettings,
  {
    event,
    before,
    after,
  }: {
    readonly event: RecordedEvent;
    readonly before: JsonObject;
    readonly after: JsonObject;
  },
): void {
  const cause = trackCause(causes, event);
  if (before === after) return;
  const { sequence, nodeId, kind, actorId, createdAt } = event;
  const setting = { sequence, nodeId, kind, actorId, createdAt, cause };
  for (const [key, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, key) || before[key] !== value) keys.set(key, setting);
  }
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) keys.delete(key);
  }
}

/** The scheduler records the consequences; this finds who caused them. */
function trackCause(causes: Map<string, SettingCause>, event: RecordedEvent): SettingCause | null {
  const { sequence, actorId } = event;
  switch (event.kind) {
    case 'ExternalEventReceived':
      causes.set(String(sequence), { sequence, kind: event.kind, actorId, userId: null });
      return null;
    case 'ApprovalReceived': {
      const { visit, step, user_id: userId } = event.payload;
      // The code of a function gets the decision; its worker sets what follows.
      if (step === undefined) {
        causes.set(visitKey(event.nodeId, visit), { sequence, kind: event.kind, actorId, userId });
      }
      return null;
    }
    case 'NodeCompleted':
    case 'NodeResumed': {
      const { visit, event_sequence: from } = event.payload;
      const received = from === undefined ? null : takeCause(causes, String(from));
      return takeCause(causes, visitKey(event.nodeId, visit)) ?? received;
    }
    case 'NodeFailed':
    case 'NodeCancelled':
    case 'ApprovalRequested':
      return takeCause(causes, visitKey(event.nodeId, event.payload.visit));
    default:
      return null;
  }
}

function takeCause(causes: Map<string, SettingCause>, key: string): SettingCause | null {
  const cause = causes.get(key) ?? null;
  causes.delete(key);
  return cause;
}
