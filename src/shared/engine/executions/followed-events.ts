import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { Wake } from '../../ports/wake.ts';
import type { ExecutionRow, ExecutionStore } from '../../store/store.ts';
import type { Cancel, Timers } from '../scheduling/timers.ts';
import { eventsTopic } from '../wake/wake-for.ts';

/**
 * The executions whose events somebody in this process waits for. All who follow an execution share one
 * subscription and one look at it, and a process has one timer for all of them: thousands of streams
 * wait for days, so each costs an entry in a set.
 */
export interface FollowedEvents {
  /** Looks at the execution at once, then at each hint, and from time to time, as hints may be lost. */
  follow(follower: EventsFollower): void;
  leave(follower: EventsFollower): void;
}

export interface EventsFollower {
  readonly executionId: ExecutionId;
  /** The sequence of the last event that it has. */
  readonly after: number;
  /** There are further events, or the execution has ended or is gone. Called again until it leaves. */
  onNews(): void;
  /** The execution could not be looked at. */
  onFailure(error: Error): void;
}

interface Followed {
  readonly followers: Set<EventsFollower>;
  readonly unsubscribe: () => void;
  isLooking: boolean;
  /** Something may have come since the present look began. */
  isStale: boolean;
}

/** A follower in another process than the writer sees events by looking this often. */
const LOOK_EVERY_MS = 500;

export function createFollowedEvents(deps: {
  readonly executions: Pick<ExecutionStore, 'find'>;
  readonly wake: Pick<Wake, 'subscribe'>;
  readonly timers: Timers;
}): FollowedEvents {
  const { executions, wake, timers } = deps;
  const all = new Map<ExecutionId, Followed>();
  let cancelTick: Cancel | null = null;

  function begin(executionId: ExecutionId): Followed {
    const followed: Followed = {
      followers: new Set(),
      unsubscribe: wake.subscribe(eventsTopic(executionId), () => void look(executionId, followed)),
      isLooking: false,
      isStale: false,
    };
    all.set(executionId, followed);
    return followed;
  }

  async function look(executionId: ExecutionId, followed: Followed): Promise<void> {
    followed.isStale = true;
    if (followed.isLooking) return;
    followed.isLooking = true;
    while (followed.isStale && followed.followers.size > 0) {
      followed.isStale = false;
      try {
        const row = await executions.find(executionId, null);
        for (const each of followed.followers) if (hasNews(row, each)) each.onNews();
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        for (const each of followed.followers) each.onFailure(failure);
      }
    }
    followed.isLooking = false;
  }

  function tick(): void {
    cancelTick ??= timers.after(LOOK_EVERY_MS, () => {
      cancelTick = null;
      tick();
      for (const [executionId, followed] of all) void look(executionId, followed);
    });
  }

  return {
    follow(follower) {
      const { executionId } = follower;
      const followed = all.get(executionId) ?? begin(executionId);
      followed.followers.add(follower);
      void look(executionId, followed);
      tick();
    },
    leave(follower) {
      const { executionId } = follower;
      const followed = all.get(executionId);
      if (followed?.followers.delete(follower) !== true || followed.followers.size > 0) return;
      followed.unsubscribe();
      all.delete(executionId);
      if (all.size > 0) return;
      cancelTick?.();
      cancelTick = null;
    },
  };
}

function hasNews(row: ExecutionRow | null, { after }: EventsFollower): boolean {
  return row === null || row.lastSequence > after || isTerminal(row.status);
}
