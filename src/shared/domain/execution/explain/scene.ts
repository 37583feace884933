import type { RecordedEvent } from '../event.ts';
import type { PauseScope } from '../event-payloads.ts';
import type { Plan } from '../../workflow/plan/plan.ts';
import type { StandingPause } from '../../workflow/workflow-pause.ts';
import { type ExecutionState, visitKey } from '../state.ts';
import type { Blocker, BlockerCode } from './blocker.ts';
import type { ExecutionFacts, FlowFacts, PlaceFacts } from './facts.ts';

/** The input of every part of an explanation. */
export interface Scene {
  readonly state: ExecutionState;
  readonly facts: ExecutionFacts;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly history: KnownHistory;
  /** The pause of its workflow; null: none. */
  readonly workflowPause: StandingPause | null;
  /** Not null: it has not begun and waits for a place below its tenant's limit. */
  readonly placeWait: PlaceFacts | null;
  /** Not null: it has not begun and waits for a place of its key. */
  readonly flowWait: FlowFacts | null;
  /** In force for the execution, if it waits for a place of its key. */
  readonly rate: Plan['rate'];
}

/** Recent events of live visits, by `visitKey`. */
export interface KnownHistory {
  readonly scheduledAt: ReadonlyMap<string, string>;
  readonly failed: ReadonlyMap<string, Extract<RecordedEvent, { kind: 'NodeFailed' }>>;
  readonly asked: ReadonlyMap<string, Extract<RecordedEvent, { kind: 'ApprovalRequested' }>>;
  /** Time of the last pause, by scope. */
  readonly pausedAt: ReadonlyMap<PauseScope, string>;
}

/** The last event of the kind for each visit. */
export function knownHistory(events: readonly RecordedEvent[]): KnownHistory {
  const scheduledAt = new Map<string, string>();
  const failed = new Map<string, Extract<RecordedEvent, { kind: 'NodeFailed' }>>();
  const asked = new Map<string, Extract<RecordedEvent, { kind: 'ApprovalRequested' }>>();
  const pausedAt = new Map<PauseScope, string>();
  for (const event of events) {
    if (event.kind === 'NodeScheduled') {
      scheduledAt.set(visitKey(event.nodeId, event.payload.visit), event.createdAt);
    } else if (event.kind === 'NodeFailed') {
      failed.set(visitKey(event.nodeId, event.payload.visit), event);
    } else if (event.kind === 'ApprovalRequested') {
      asked.set(visitKey(event.nodeId, event.payload.visit), event);
    } else if (event.kind === 'ExecutionPaused') {
      pausedAt.set(event.payload.scope, event.createdAt);
    }
  }
  return { scheduledAt, failed, asked, pausedAt };
}

/** A scheduler handles due work within seconds; a longer wait means that something is broken. */
const PROMPT_MS_MAX = 60_000;

/** Whether a scheduler is about to handle what fell due then. */
export function isAboutToBeDone(scene: Scene, dueAt: string): boolean {
  const { facts, nowMs } = scene;
  if (facts.schedulers.seen === 0 || facts.tenantStatus !== 'active') return false;
  return nowMs - Date.parse(dueAt) <= PROMPT_MS_MAX;
}

export function isPast(scene: Scene, instant: string | null): boolean {
  return instant !== null && Date.parse(instant) <= scene.nowMs;
}

export function blockerOf(
  at: { readonly nodeId: string | null; readonly visit: number | null },
  given: Pick<Blocker, 'message' | 'unblockedBy'> & {
    readonly code: BlockerCode;
  } & Partial<Blocker>,
): Blocker {
  const { nodeId, visit } = at;
  return {
    nodeId,
    visit,
    since: null,
    until: null,
    overdue: false,
    moving: false,
    details: {},
    ...given,
  };
}

/** `90 s`, `12 min`, `5 h`, `3 days`: rounded for readers. */
export function tellDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export function tellAge(scene: Scene, since: string): string {
  return tellDuration(scene.nowMs - Date.parse(since));
}
