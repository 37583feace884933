import type { JsonObject, JsonValue } from '../json.ts';
import { isLabels, type Labels } from './labels/labels.ts';
import type { UsagePayload } from './usage-payload.ts';

/* Payloads of the events of durable functions; see `event.ts`. */

export const WORKER_ENTRY_KINDS = [
  'step',
  'value',
  'version',
  'labels',
  'on_rollback',
  'rollback',
] as const;
export const WAIT_KINDS = ['timer', 'event', 'approval', 'child'] as const;

/** `timer`, `event`, `approval`, `child`: the runtime records them, when a wait is satisfied. */
export type JournalEntryKind = (typeof WORKER_ENTRY_KINDS)[number] | (typeof WAIT_KINDS)[number];

/** One entry of the journal of a visit. */
export type JournalEntry = {
  readonly identity: string;
  readonly kind: JournalEntryKind;
  readonly output?: JsonValue;
  readonly error?: { readonly message: string; readonly class?: string };
  readonly attempts?: number;
  readonly started_at?: string;
  readonly duration_ms?: number;
  /** The models that the step used, in all its attempts that this entry ends. */
  readonly usage?: UsagePayload;
  /** Sequence of the ExternalEventReceived that satisfied the wait. */
  readonly event_sequence?: number;
};

export interface StepRecordedPayload {
  readonly visit: number;
  readonly turn: number;
  /** Position of the first entry in the journal, from 0. */
  readonly position: number;
  readonly entries: readonly JournalEntry[];
  /** A retry takes over what the execution before it had recorded. */
  readonly carried?: true;
}

/**
 * The model usage of entries, as it counts for their execution. A retry begins with all that the
 * execution before it used, so the entries that it takes over count nothing again.
 */
export function usagesOfSteps({ entries, carried }: StepRecordedPayload): readonly UsagePayload[] {
  return carried === true ? [] : entries.flatMap(({ usage }) => usage ?? []);
}

/**
 * The labels that entries give their execution, each its own. A retry begins with those of the execution
 * before it, so the entries that it takes over give none.
 */
export function labelsOfSteps({
  entries,
  carried,
}: Pick<StepRecordedPayload, 'entries' | 'carried'>): readonly Labels[] {
  if (carried === true) return [];
  return entries.flatMap(({ kind, output }) =>
    kind === 'labels' && isLabels(output) ? [output] : [],
  );
}

export type WaitPayload = {
  readonly identity: string;
  readonly kind: (typeof WAIT_KINDS)[number];
  readonly delay_ms?: number;
  readonly until?: string;
  readonly correlation_key?: string;
  readonly timeout_ms?: number;
  readonly description?: string;
  readonly context?: JsonValue;
  readonly workflow_id?: string;
  readonly workflow_version?: string;
  readonly child_execution_id?: string;
  /** The child could not be started. */
  readonly error?: { readonly message: string; readonly class: string };
};

/** The turn is over until a wait is satisfied. With `resumed`, one already is, and the turn continues. */
export interface NodeSuspendedPayload {
  readonly visit: number;
  readonly attempt: number;
  readonly turn: number;
  readonly work_item_id: string;
  readonly lease_fence: number;
  /** SHA-256 in hex of the canonical JSON of the request: the same request gets the same answer. */
  readonly request_hash: string;
  readonly waits: readonly WaitPayload[];
  readonly resumed?: true;
}

/** The visit is over, and another one begins with this input and an empty journal. */
export interface NodeContinuedAsNewPayload {
  readonly visit: number;
  readonly attempt: number;
  readonly turn: number;
  readonly work_item_id: string;
  readonly lease_fence: number;
  /** As in NodeSuspended. */
  readonly request_hash: string;
  /** Input of the next visit. */
  readonly input: JsonValue;
  /** As in NodeCompleted. */
  readonly awaits_children?: true;
}

/**
 * From here on only claims of this build get the turns of the visit. The first turn pins it, and an
 * operator may pin it to another build.
 */
export interface NodePinnedPayload {
  readonly visit: number;
  /** Null: of no build, until the next turn of a worker with one. */
  readonly build_id: string | null;
}

/** Compensations run in a turn of their own, before the visit ends. */
export interface RollbackScheduledPayload {
  readonly visit: number;
  readonly turn: number;
  /** 0: a rollback counts its own attempts. */
  readonly attempt: number;
  readonly work_item_id: string;
  readonly cause: 'failed' | 'cancelled';
  /** Identities of the compensations, in the order in which they run. */
  readonly compensations: readonly string[];
}

/** The journal that a retry takes over from a function that was under way. */
export type CarriedJournalPayload = {
  readonly node_id: string;
  readonly visit: number;
  readonly entries: readonly JournalEntry[];
};

/** The input of a visit that a continuation began, or is to begin. */
export type CarriedInputPayload = {
  readonly node_id: string;
  readonly visit: number;
  readonly input: JsonValue;
};

/** The context that an approval of a function shows to the person who decides. */
export function shownOf(context: JsonValue | undefined): JsonObject | undefined {
  return context === undefined ? undefined : { context };
}
