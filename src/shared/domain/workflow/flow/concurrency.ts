import type { Expression } from '../../expression/expression.ts';
import type { Pace } from './rate.ts';

/** How many executions of a workflow run at a time. */
export interface Concurrency {
  /** Executions with the same value share the limit; null: all of the workflow. */
  readonly key: Expression | null;
  readonly limit: number;
  readonly whenFull: WhenFull;
}

/** How many executions of a workflow begin in a time; the others wait. */
export interface StartRate extends Pace {
  /** Executions with the same value share the rate; null: all of the workflow. */
  readonly key: Expression | null;
}

/** A start waits whether another of its key comes, which then displaces it. */
export interface Debounce {
  /** Null: one key for all of the workflow. */
  readonly key: Expression | null;
  readonly waitMs: number;
  /** From the first start that was displaced; null: as long as others come. */
  readonly maxWaitMs: number | null;
}

/** Starts of a key gather, and one execution begins for all of them. */
export interface Batch {
  /** Null: one key for all of the workflow. */
  readonly key: Expression | null;
  /** Starts in one batch. */
  readonly max: number;
  /** From the first start of a batch until it closes. */
  readonly waitMs: number;
}

export const BATCH_MIN = 2;
export const BATCH_MAX = 1_000;

export const CONCURRENCY_MAX = 10_000;

/**
 * The effect on a start when the places of its key are taken. `queue`: it waits · `refuse`: there is
 * no execution · `cancel_oldest`: it waits, and the oldest execution of the key is cancelled.
 */
export const WHEN_FULL = ['queue', 'refuse', 'cancel_oldest'] as const;
export type WhenFull = (typeof WHEN_FULL)[number];
