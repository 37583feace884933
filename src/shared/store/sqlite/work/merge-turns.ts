import { TAGS_PER_TURN } from '../../../domain/work/fair-queue.ts';
import { type ClassTurn, classTagBefore, type TakenTurn } from '../../rows/fair-turns.ts';

interface Queued {
  readonly priority: number;
  readonly seq: number;
  readonly enqueued_at: number;
  readonly queue_name: string | null;
}

interface Part<Item extends Queued> {
  /** The key of the queue of workers. */
  readonly key: string;
  /** Without a key of fairness, by age. */
  readonly items: readonly Item[];
  /** By tag. */
  readonly shares: readonly Item[];
  readonly last: ClassTurn;
}

interface Turn<Item extends Queued> {
  readonly item: Item;
  /** Since when it or one before it on its queue has waited. */
  readonly since: number;
  readonly taken: TakenTurn;
}

/**
 * The items of several queues: those of a queue in the order of their turns, and queues by the age of
 * their next items. See `claim-fair-sql.ts` of PostgreSQL.
 */
export function mergeTurns<Item extends Queued>(
  parts: readonly Part<Item>[],
  limit: number,
): readonly (Item & { readonly turn?: TakenTurn })[] {
  if (parts.every(({ shares }) => shares.length === 0)) {
    return parts
      .flatMap(({ items }) => items)
      .toSorted((left, right) => left.priority - right.priority || left.seq - right.seq)
      .slice(0, limit);
  }
  return parts
    .flatMap(listTurns)
    .toSorted(compareAges)
    .slice(0, limit)
    .map(({ item, taken }) => ({ ...item, turn: taken }));
}

function listTurns<Item extends Queued>(part: Part<Item>): readonly Turn<Item>[] {
  const { key: queueKey, items, shares, last } = part;
  const [first] = shares;
  const before =
    first === undefined
      ? -TAGS_PER_TURN
      : classTagBefore(last, { priority: first.priority, tag: first.seq });
  const tagged = [
    ...items.map((item, index) => {
      const tag = before + TAGS_PER_TURN * (index + 1);
      return { item, taken: { queueKey, priority: item.priority, tag, sharedName: null } };
    }),
    ...shares.map((item) => {
      const { priority, seq: tag, queue_name: sharedName } = item;
      return { item, taken: { queueKey, priority, tag, sharedName } };
    }),
  ].toSorted(compareTags);
  let since = 0;
  let priority = 0;
  return tagged.map((one) => {
    const { item } = one;
    since = item.priority === priority ? Math.max(since, item.enqueued_at) : item.enqueued_at;
    ({ priority } = item);
    return { ...one, since };
  });
}

function isShared({ sharedName }: TakenTurn): boolean {
  return sharedName !== null;
}

type Tagged = Omit<Turn<Queued>, 'since'>;

function compareTags({ item, taken }: Tagged, { item: other, taken: its }: Tagged): number {
  return (
    item.priority - other.priority ||
    taken.tag - its.tag ||
    Number(isShared(taken)) - Number(isShared(its)) ||
    item.seq - other.seq
  );
}

/** Stable, so items of one queue stay in their order. */
function compareAges(left: Turn<Queued>, right: Turn<Queued>): number {
  return left.item.priority - right.item.priority || left.since - right.since;
}
