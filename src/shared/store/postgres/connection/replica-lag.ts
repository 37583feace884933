import type { ReplicaReport, ReplicaState } from '../../readings/replica-report.ts';

/*
 * How far a replica is behind, without a comparison of clocks.
 *
 * A round reads the position of the primary's log, then the one that the replica has replayed. A
 * replica that has reached a position contains all that was committed before the position was read.
 * So its answers are behind for at most the time since then, by this process's clock. A replica that
 * is cut off, and an idle primary, are no special cases: the one no longer reaches new positions, and
 * the position of the other does not move.
 *
 * `now() - pg_last_xact_replay_timestamp()` would grow while the primary is idle, and a replica that
 * has replayed all it received may be cut off: so neither alone is a bound.
 *
 * Rounds take place only while somebody wants to read, at most one in `everyMs`. No caller waits for
 * one. A position that the replica has not reached is kept: reached later, it still says something.
 */

export interface LogPositions {
  /** The primary's position. */
  current(): Promise<bigint>;
  /** The replica's position; a string says why it must not be read. */
  replayed(): Promise<bigint | string>;
}

export interface ReplicaLag {
  /** No answer of the replica is behind for longer; null: it must not be read now. */
  staleness(): number | null;
  /** Why it must not be read. */
  readonly trouble: Exclude<ReplicaState, 'used'> | null;
  /** A read over the replica has failed. */
  noteLoss(reason: string): void;
  /** Resolves when no round is under way. */
  settled(): Promise<void>;
}

const POSITIONS_MAX = 16;
const ROUNDS_WITHIN_LAG = 5;

interface Position {
  readonly at: number;
  readonly value: bigint;
}

export function watchReplicaLag(given: {
  readonly positions: LogPositions;
  readonly lagMsMax: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly onChange: ReplicaReport['changed'];
}): ReplicaLag {
  const { positions, lagMsMax, now, onChange } = given;
  const everyMs = lagMsMax / ROUNDS_WITHIN_LAG;
  let unreached: Position[] = [];
  /** When the newest position that the replica has reached was read. */
  let freshAt = -Infinity;
  let beganAt = -Infinity;
  let round: Promise<void> | null = null;
  let state: ReplicaState | null = null;

  function change(next: ReplicaState, reason: string): void {
    if (state === next) return;
    state = next;
    onChange(next, reason);
  }

  function lose(next: 'unreachable' | 'unfit', reason: string): void {
    freshAt = -Infinity;
    unreached = [];
    change(next, reason);
  }

  async function measure(): Promise<void> {
    const at = now();
    // The primary's own trouble says nothing of the replica.
    const value = await positions.current().catch(() => null);
    if (value === null) return;
    unreached.push({ at, value });
    if (unreached.length > POSITIONS_MAX) unreached.splice(1, 1);
    let replayed;
    try {
      replayed = await positions.replayed();
    } catch (error) {
      lose('unreachable', error instanceof Error ? error.message : String(error));
      return;
    }
    if (typeof replayed === 'string') lose('unfit', replayed);
    else judge(replayed);
  }

  function judge(replayed: bigint): void {
    const reached = unreached.findLast(({ value }) => value <= replayed);
    if (reached !== undefined) {
      freshAt = reached.at;
      unreached = unreached.filter(({ at }) => at > reached.at);
    }
    const behindMs = now() - freshAt;
    if (behindMs <= lagMsMax) {
      change('used', `at most ${Math.ceil(behindMs)} ms behind`);
      return;
    }
    const [oldest] = unreached;
    const provenMs = oldest === undefined ? 0 : now() - oldest.at;
    if (provenMs > lagMsMax) change('lagging', `${Math.floor(provenMs)} ms behind, or more`);
  }

  function measureIfDue(): void {
    if (round !== null || now() - beganAt < everyMs) return;
    beganAt = now();
    round = measure().finally(() => {
      round = null;
    });
  }

  return {
    staleness() {
      measureIfDue();
      const behindMs = now() - freshAt;
      return behindMs <= lagMsMax ? behindMs : null;
    },
    get trouble() {
      return state === 'used' ? null : state;
    },
    noteLoss: (reason) => lose('unreachable', reason),
    settled: async () => void (await round),
  };
}
