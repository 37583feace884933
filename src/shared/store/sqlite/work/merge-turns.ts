import { TAGS_PER_TURN } from '../../../domain/work/fair-queue.ts';
import { type ClassTurn, classTagBefore, type TakenTurn } from '../../rows/fair-turns.ts';

interface Queued {
  readonly priority: number;
  readonly seq: number;
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
  /** From the first share of its queue on. */
  readonly turn: number;
  readonly taken: TakenTurn;
}

/** The items of several queues in the order of their turns; see `claim-fair-sql.ts` of PostgreSQL. */
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
    .toSorted(compareTurns)
    .slice(0, limit)
    .map(({ item, taken }) => ({ ...item, turn: taken }));
}

function listTurns<Item extends Queued>(part: Part<Item>): readonly Turn<Item>[] {
  const { key: queueKey, items, shares, last } = part;
  const [first] = shares;
  const head = first === undefined ? 0 : first.seq;
  const before =
    first === undefined
      ? -TAGS_PER_TURN
      : classTagBefore(last, { priority: first.priority, tag: first.seq });
  return [
    ...items.map((item, index) => {
      const tag = before + TAGS_PER_TURN * (index + 1);
      const { priority } = item;
      return { item, turn: tag - head, taken: { queueKey, priority, tag, isShared: false } };
    }),
    ...shares.map((item) => {
      const { priority, seq: tag } = item;
      return { item, turn: tag - head, taken: { queueKey, priority, tag, isShared: true } };
    }),
  ];
}

function compareTurns(left: Turn<Queued>, right: Turn<Queued>): number {
  return (
    left.item.priority - right.item.priority ||
    left.turn - right.turn ||
    Number(left.taken.isShared) - Number(right.taken.isShared) ||
    left.item.seq - right.item.seq
  );
}
