/*
 * The journal of one visit of a function's node, as `docs/reference/function-protocol.md` defines it.
 * Entries are appended and never changed. The worker appends what it did, under the fence of its
 * lease; the runtime appends what a wait was satisfied with.
 */

/** Kinds of entries that a worker records. */
export type RecordedKind = 'step' | 'value' | 'version' | 'labels' | 'on_rollback' | 'rollback';
/** Kinds of entries that the runtime records when a wait is satisfied. */
export type WaitKind = 'timer' | 'event' | 'approval' | 'child';
export type EntryKind = RecordedKind | WaitKind;

export interface Entry {
  /** Unique in the journal, up to 512 bytes: `charge`, `charge#2`, `map[3]/charge`. */
  readonly identity: string;
  readonly kind: EntryKind;
  readonly output?: unknown;
  readonly error?: EntryError;
  /** For a step: how often it ran, from 1. */
  readonly attempts?: number;
  readonly started_at?: string;
  readonly duration_ms?: number;
  readonly usage?: EntryUsage;
}

/** The models that a step used, in all the attempts that its entry ends. */
export interface EntryUsage {
  readonly model?: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** US dollars; null: svc does not know the price. */
  readonly cost_usd?: number | null;
}

/** A budget of the workflow, or of one that it descends from, that is used up. */
export interface ExceededBudget {
  /** `pause`: the next turn follows when a person grants the budget again. */
  readonly action: 'fail' | 'pause';
  readonly message: string;
  /** The execution that owns the budget. */
  readonly account: string;
  /** Tokens that the execution and its descendants used. */
  readonly tokens: number;
  readonly token_budget: number | null;
  /** US dollars. */
  readonly cost_usd: number;
  readonly cost_budget_usd: number | null;
}

export interface EntryError {
  readonly message: string;
  readonly class?: string;
}

/** A wait of a suspended function. */
export type Wait =
  | { readonly identity: string; readonly kind: 'timer'; readonly delay_ms: number }
  | { readonly identity: string; readonly kind: 'timer'; readonly until: string }
  | {
      readonly identity: string;
      readonly kind: 'event';
      readonly correlation_key: string;
      readonly timeout_ms?: number;
    }
  | {
      readonly identity: string;
      readonly kind: 'approval';
      readonly description?: string;
      readonly context?: unknown;
      readonly timeout_ms?: number;
    }
  | {
      readonly identity: string;
      readonly kind: 'child';
      readonly workflow_id: string;
      readonly version?: string;
      readonly input: unknown;
    };

/** One request carries at most that many entries, and as many waits. */
export const ENTRIES_AT_ONCE_MAX = 100;
export const WAITS_MAX = 100;
/** A visit has at most that many entries. */
export const ENTRIES_MAX = 10_000;

/**
 * The port to the journal: over HTTP in a worker, in memory in tests. It knows the length of the
 * journal and the lease; calls come one after the other. Any error that it throws ends the turn.
 */
export interface Journal {
  /** The entries recorded when the turn begins, in the order of positions. */
  readonly entries: readonly Entry[];
  /**
   * Appends up to 100 entries in one commit. Entries of a request that is sent twice exist once. Gives
   * the budget that the usage of the entries exceeds; null: none.
   */
  record(entries: readonly Entry[]): Promise<ExceededBudget | null>;
  /**
   * Appends `entries` and waits, in one commit. Without waits the turn ends. Gives null when the item is suspended, and the entries
   * of waits that are satisfied already when the turn continues.
   */
  suspend(entries: readonly Entry[], waits: readonly Wait[]): Promise<readonly Entry[] | null>;
}
