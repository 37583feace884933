import { createHash } from 'node:crypto';

import { DEFAULT_QUEUE, SHARE_MARK as MARK } from './queue-key.ts';

/*
 * An item with a key of fairness waits beside the queue of its node: its queue has the name of that
 * queue, and `~` at its end. No node and no claim can give such a name, so claims look at it on their
 * own, and those of queues without such items cost what they did.
 *
 * The name that an item carries continues with the key, and with the share of the key after another
 * `~`. The name of a build comes before, and a quota after it. Stores cut the key of the queue at the
 * first `~`.
 *
 * On that queue an item has a tag instead of an age, below 0: the tag of the last item of its key that
 * waits there, or of the first item of all, and `TAGS_PER_TURN` divided by the weight. If none of its key
 * waits, it adds a fiftieth less: so it comes before items that are a whole turn behind the first one.
 */

const QUOTA_MARK = '#';

/** One turn of a key with weight 1 adds this to the tag. */
export const TAGS_PER_TURN = 65_536;
/** Before the first item of an empty queue: the lowest number that a double holds with all below it. */
export const TAG_BEFORE_FIRST = -(2 ** 52);

export interface FairShare {
  readonly key: string;
  readonly weight: number;
}

/** The key as people know it: a long one stays encoded, because it is cut. */
export function textOfKey({ key }: Pick<FairShare, 'key'>): string {
  return key.length < ENCODED_MAX ? decodeURIComponent(key) : key;
}

/** The same queue, for an item of that share. Null: the default queue. */
export function fairQueueName(queueName: string | null, { key, weight }: FairShare): string {
  const [own = DEFAULT_QUEUE, ...quota] = (queueName ?? DEFAULT_QUEUE).split(QUOTA_MARK);
  const fair = [own, encode(key), weight].join(MARK);
  return [fair, ...quota].join(QUOTA_MARK);
}

/** Null: an item without a key of fairness. */
export function readShare(queueName: string): FairShare | null {
  const [fair = ''] = queueName.split(QUOTA_MARK);
  const [, key, weight] = fair.split(MARK);
  return key === undefined || weight === undefined ? null : { key, weight: Number(weight) };
}

/** The name of the queue, or its key, without the share. */
export function withoutShare(name: string): string {
  return name.includes(MARK) ? name.replace(SHARE, '') : name;
}

const SHARE = /~[^#]*/;

/** Whether a key is that of a queue of shares. Below a quota, whose key may have the mark, an item is on none yet. */
export function isFairKey(queueKey: string): boolean {
  return queueKey.endsWith(MARK) && !queueKey.includes(QUOTA_MARK);
}

/** The queue of shares beside a queue of workers, by their keys. */
export function fairKeyOf(queueKey: string): string {
  const isNamed = queueKey.includes('/', queueKey.indexOf('/') + 1);
  return `${queueKey}${isNamed ? '' : UNNAMED}${MARK}`;
}

const UNNAMED = `/${DEFAULT_QUEUE}`;

/** The queue of workers that a queue belongs to, by their keys. */
export function workersKeyOf(queueKey: string): string {
  const key = withoutShare(queueKey);
  return key !== queueKey && key.endsWith(UNNAMED) ? key.slice(0, -UNNAMED.length) : key;
}

/** An item adds this to the tag of its key. */
export function tagsOf({ weight }: Pick<FairShare, 'weight'>): number {
  return Math.ceil(TAGS_PER_TURN / weight);
}

/** An item whose key has no other that waits adds this to the tag of the first item of all. */
export function joiningTagsOf(share: Pick<FairShare, 'weight'>): number {
  const turn = tagsOf(share);
  return turn - Math.ceil(turn / 50);
}

/** The key is part of an index entry, so a long one is replaced by its beginning and a hash. */
function encode(key: string): string {
  const text = encodeURIComponent(key.toWellFormed()).replaceAll(MARK, '%7E');
  if (text.length <= ENCODED_MAX) return text;
  const hash = createHash('sha256').update(key).digest('hex');
  return `${text.slice(0, ENCODED_MAX - hash.length)}.${hash}`;
}

const ENCODED_MAX = 200;
