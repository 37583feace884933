import {
  type FairShare,
  fairKeyOf,
  joiningTagsOf,
  readShare,
  TAGS_PER_TURN,
  tagsOf,
  workersKeyOf,
} from '../../domain/work/fair-queue.ts';

/*
 * A process remembers this of queues of shares, for the claims that it serves. All of it are hints.
 *
 * A claim looks at the queue of shares beside its queue unless the last look has found nothing there,
 * less than a second ago, and no hint has come since. So claims of queues without shares are the same
 * statements as ever, but for one in a second.
 *
 * Items without a key are one class, which takes turns with the keys: `last` is the tag of its last item
 * that this process has handed out. Each process gives the class a turn of its own, so it has the weight
 * of as many keys as processes serve claims.
 *
 * While shares wait, the tag of a key grows by its turn from item to item, or a little less if it joins. If it
 * grows by less than that, the queue has been empty and has begun again. The last turn of the class then moves
 * with it, as if it had not.
 */
export interface FairTurns {
  /** Whether claims with this filter must look at the shares beside these queues of workers. */
  mayWait(queueKeys: readonly string[], filter: string): boolean;
  /** A look begins. The result says whether it has found any shares. */
  looking(queueKeys: readonly string[], filter: string): (hasShares: boolean) => void;
  /** An item may have been added to this queue. */
  note(queueKey: string): void;
  last(queueKey: string): ClassTurn;
  /** The items of a claim, in the order of their turns. */
  took(items: readonly TakenTurn[]): void;
}

export interface ClassTurn {
  readonly priority: number;
  readonly tag: number;
}

export interface TakenTurn {
  readonly queueKey: string;
  readonly priority: number;
  readonly tag: number;
  /** The name that the item carries; null if it has no key. */
  readonly sharedName: string | null;
}

const LOOK_EVERY_MS = 1_000;
/** Queues and filters are the callers' choice: past so many, all are forgotten. */
const QUEUES_MAX = 10_000;
const FILTERS_MAX = 100;
const KEYS_MAX = 10_000;

interface Known {
  notes: number;
  /** When a look that found nothing began, by filter. */
  readonly emptyAt: Map<string, number>;
  last: ClassTurn;
  /** How often the turn of the class has moved. */
  round: number;
}

/** The last item of a key of fairness that this process has handed out. */
interface KeyTurn extends ClassTurn, Pick<Known, 'round'> {}

const NO_TURN: ClassTurn = { priority: -1, tag: 0 };

export function createFairTurns(now: () => number): FairTurns {
  const queues = new Map<string, Known>();
  const keys = new Map<string, KeyTurn>();

  function find(queueKey: string): Known {
    const known = queues.get(queueKey) ?? {
      notes: 0,
      emptyAt: new Map(),
      last: NO_TURN,
      round: 0,
    };
    if (queues.size >= QUEUES_MAX && !queues.has(queueKey)) queues.clear();
    queues.set(queueKey, known);
    return known;
  }

  return {
    mayWait(queueKeys, filter) {
      return queueKeys.some((key) => {
        const emptyAt = key === 'engine' ? Infinity : queues.get(key)?.emptyAt.get(filter);
        return emptyAt === undefined || now() - emptyAt >= LOOK_EVERY_MS;
      });
    },

    looking(queueKeys, filter) {
      const began = now();
      const notes = queueKeys.map((key) => find(key).notes);
      return (hasShares) => {
        queueKeys.forEach((key, index) => {
          const { emptyAt, ...known } = find(key);
          if (emptyAt.size >= FILTERS_MAX) emptyAt.clear();
          if (hasShares || known.notes !== notes[index]) emptyAt.delete(filter);
          else emptyAt.set(filter, began);
        });
      };
    },

    note(queueKey) {
      const key = workersKeyOf(queueKey);
      if (key === queueKey) return;
      const known = find(key);
      known.notes += 1;
      known.emptyAt.clear();
    },

    last: (queueKey) => queues.get(queueKey)?.last ?? NO_TURN,

    took(items) {
      for (const { sharedName, ...turn } of items) {
        if (sharedName === null) tookOfClass(turn);
        else tookShare(turn, readShare(sharedName));
      }
    },
  };

  function tookOfClass({ queueKey, priority, tag }: Turn): void {
    const known = find(queueKey);
    known.last = { priority, tag };
    known.round += 1;
  }

  function tookShare({ queueKey, priority, tag }: Turn, share: FairShare | null): void {
    if (share === null) return;
    const workersKey = workersKeyOf(queueKey);
    const known = find(workersKey);
    const name = `${workersKey} ${share.key}`;
    const before = keys.get(name);
    // A turn of the class since then has its tag from the queue as it is now.
    if (before?.round === known.round && before.priority === priority) {
      const grown = tag - before.tag;
      if (grown < joiningTagsOf(share)) {
        const back = tagsOf(share) - grown;
        known.last = { ...known.last, tag: known.last.tag - back };
        known.round += 1;
      }
    }
    // Shares have come that far.
    const { last } = known;
    if (last.priority === priority && last.tag > tag) known.last = { priority, tag };
    if (keys.size >= KEYS_MAX && !keys.has(name)) keys.clear();
    keys.set(name, { priority, tag, round: known.round });
  }
}

type Turn = Omit<TakenTurn, 'sharedName'>;

/** The tag after which the class of items without a key has its turn, beside the first share. */
export function classTagBefore(last: ClassTurn, head: ClassTurn): number {
  const lowest = head.tag - TAGS_PER_TURN;
  return last.priority === head.priority ? Math.min(Math.max(last.tag, lowest), head.tag) : lowest;
}

export function fairKeysOf(queueKeys: readonly string[]): readonly string[] {
  return queueKeys.map(fairKeyOf);
}
