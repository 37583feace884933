/** From where on something is worth a word (`warn`), or wrong (`fail`). */
export interface Limits {
  readonly clockSkewMs: Bounds;
  /** Age of a snapshot that keeps vacuum from removing what is dead. */
  readonly snapshotMs: Bounds;
  /** The same for what does not say since when, in transactions. */
  readonly snapshotXids: Bounds;
  readonly lockWaitMs: Bounds;
  readonly deadTuplesWarn: number;
  readonly walBytes: Bounds;
  /** Less than this is too little. */
  readonly freeBytes: Bounds;
  readonly queueWaitMsWarn: number;
  /** How long what is due may wait to be done. */
  readonly overdueMsMax: number;
  readonly unsealedMs: Bounds;
  /** How long after a restore the operator may still have to look at it. */
  readonly restoredMsWarn: number;
  /** How long a workflow is paused before it may be forgotten. */
  readonly pauseMsWarn: number;
}

export interface Bounds {
  readonly warn: number;
  readonly fail: number;
}

const MINUTE_MS = 60_000;
const MEGABYTE = 1024 ** 2;

export const LIMITS: Limits = {
  clockSkewMs: { warn: 1_000, fail: MINUTE_MS },
  snapshotMs: { warn: MINUTE_MS, fail: 30 * MINUTE_MS },
  snapshotXids: { warn: 1_000_000, fail: 100_000_000 },
  lockWaitMs: { warn: 5_000, fail: MINUTE_MS },
  deadTuplesWarn: 50_000,
  walBytes: { warn: 256 * MEGABYTE, fail: 4_096 * MEGABYTE },
  freeBytes: { warn: 1_024 * MEGABYTE, fail: 128 * MEGABYTE },
  queueWaitMsWarn: 10 * MINUTE_MS,
  overdueMsMax: MINUTE_MS,
  unsealedMs: { warn: 10 * MINUTE_MS, fail: 24 * 60 * MINUTE_MS },
  restoredMsWarn: 24 * 60 * MINUTE_MS,
  pauseMsWarn: 24 * 60 * MINUTE_MS,
};
