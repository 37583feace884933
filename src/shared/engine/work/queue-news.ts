import type { Wake } from '../../ports/wake.ts';

/**
 * Whether a look at the queues of a claim would find nothing, as far as hints tell: the last look left
 * nothing, and no hint has come since it began. Claims that wait then need not look as they arrive.
 *
 * Hints may be lost, so a claim relies on this only where a look by the clock follows; see `ClaimPace`.
 */
export interface QueueNews {
  /** From now on hints count. */
  follow(queues: FollowedQueues): FollowedNews;
}

export interface FollowedQueues {
  /** The same for claims on the same queues and tools. */
  readonly key: string;
  readonly topics: readonly string[];
  /** See `Wake.subscribe`. */
  readonly accepts: (detail: string) => boolean;
}

export interface FollowedNews {
  isEmpty(): boolean;
  /** A look begins. The result says whether it left nothing. */
  looking(): (look: { readonly leftNothing: boolean }) => void;
  end(): void;
}

/** Between two requests of a worker its queues are followed for as long. */
const LINGER_MS = 10_000;
/** Queue names are the callers' choice: bounded, or a caller could fill the memory. */
const LINGERING_MAX = 1_000;

interface Followed {
  followers: number;
  /** Counts hints. */
  hints: number;
  isEmpty: boolean;
  endedAt: number;
  readonly unsubscribe: () => void;
}

export function createQueueNews(deps: {
  readonly wake: Pick<Wake, 'subscribe'>;
  readonly now: () => number;
  /** Called with the topic of each hint. */
  readonly onHint: (topic: string) => void;
}): QueueNews {
  const { wake, now } = deps;
  const all = new Map<string, Followed>();
  /** Without followers, in the order in which their last one ended. */
  const lingering = new Set<string>();

  function begin({ key, topics, accepts }: FollowedQueues): Followed {
    const followed: Followed = {
      followers: 0,
      hints: 0,
      isEmpty: false,
      endedAt: 0,
      unsubscribe: () => {
        for (const end of subscriptions) end();
      },
    };
    const noteHint = (topic: string): void => {
      followed.hints += 1;
      followed.isEmpty = false;
      deps.onHint(topic);
    };
    const subscriptions = topics.map((topic) =>
      wake.subscribe(topic, () => noteHint(topic), accepts),
    );
    all.set(key, followed);
    return followed;
  }

  function sweep(): void {
    for (const key of lingering) {
      const followed = all.get(key);
      const isDue = (followed?.endedAt ?? 0) + LINGER_MS <= now();
      if (!isDue && lingering.size <= LINGERING_MAX) return;
      followed?.unsubscribe();
      all.delete(key);
      lingering.delete(key);
    }
  }

  return {
    follow(queues) {
      const { key } = queues;
      const followed = all.get(key) ?? begin(queues);
      followed.followers += 1;
      lingering.delete(key);
      return {
        isEmpty: () => followed.isEmpty,
        looking() {
          const hintsBefore = followed.hints;
          return ({ leftNothing }) => {
            followed.isEmpty = leftNothing && followed.hints === hintsBefore;
          };
        },
        end() {
          followed.followers -= 1;
          if (followed.followers > 0) return;
          followed.endedAt = now();
          lingering.add(key);
          sweep();
        },
      };
    },
  };
}
