/** One node of an execution, as the graph shows it: its latest visit. */
export interface NodeRun {
  /** `running`, `completed`, `failed`, `skipped`, `waiting`, `retrying`, … */
  readonly status: string;
  /** Attempts so far; 0: the node makes none. */
  readonly attempts: number;
  /** ISO 8601; null: it has not started. */
  readonly startedAt: string | null;
  /** ISO 8601; null: it has not ended. */
  readonly endedAt: string | null;
  /** Items of a `map`. */
  readonly progress?: MapProgress;
  /** The value that decided which edges the node took, as text: `state.total = 250`. */
  readonly decidedBy?: string;
  /** Nodes whose completion led here; absent: the graph infers the taken edges from who started. */
  readonly from?: readonly string[];
}

export interface MapProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

const NOT_ENTERED: readonly string[] = ['skipped', 'pending'];
const ENDED: readonly string[] = ['completed', 'failed', 'skipped', 'cancelled'];

/** Whether the node was entered at all. */
export function hasStarted(run: NodeRun | undefined): boolean {
  return run !== undefined && !NOT_ENTERED.includes(run.status);
}

export function hasEnded(run: NodeRun | undefined): boolean {
  return run !== undefined && (run.endedAt !== null || ENDED.includes(run.status));
}
