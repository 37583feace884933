import { type Pace, tokenIntervalUs } from '../workflow/flow/rate.ts';
import { type FairShare, readShare, withoutShare } from './fair-queue.ts';
import { DEFAULT_QUEUE, queueKeyOf } from './queue-key.ts';

/*
 * An item below a quota waits on a queue of its own until it has a place: the name of its node's
 * queue, then the limit, the tool and the key, each after `#`. No node and no claim can name such a
 * queue, so claims never look at what waits there, and cost what they did.
 *
 * If the tool has a rate, the limit is 0, and the name continues: the true limit or nothing, the rate,
 * and its key. A program that knows no rates reads a limit of 0 and admits nothing.
 */

const MARK = '#';

export interface Quota {
  /** The queue that the node names. */
  readonly queueName: string;
  /** The most items that may be with workers at a time; null: as many as there are. */
  readonly limit: number | null;
  readonly tool: string;
  /** Null: one quota for all calls of the tool. */
  readonly key: string | null;
  /** Null: as fast as workers claim. */
  readonly rate: QuotaRate | null;
}

/** A token for each admission. */
export interface QuotaRate extends Pace {
  readonly key: string | null;
}

/** The longest text of a key. */
export const QUOTA_KEY_MAX = 256;
/** The key and the tool are parts of an index entry, which has a limit. */
const ENCODED_MAX = 1_500;

/** Null: tool and key are too long together. */
export function quotaQueueName({ queueName, limit, tool, key, rate }: Quota): string | null {
  const parts = [queueName, rate === null ? limit : 0, encode(tool), encodeKey(key)];
  if (rate !== null) {
    parts.push(limit, [rate.limit, rate.perMs, rate.burst].join('.'), encodeKey(rate.key));
  }
  const name = parts.join(MARK);
  return name.length > ENCODED_MAX ? null : name;
}

/** Null: a queue below no quota. */
export function readQuota(name: string): Quota | null {
  if (!name.includes(MARK)) return null;
  const [queueName = '', limit, tool, key = '', ...paced] = name.split(MARK);
  if (limit === undefined || tool === undefined) return null;
  const of = {
    queueName: withoutShare(queueName),
    tool: decodeURIComponent(tool),
    key: decodeKey(key),
  };
  const [limitBeside = '', rate, rateKey = ''] = paced;
  if (rate === undefined) return { ...of, limit: Number(limit), rate: null };
  const [rateLimit = 0, perMs = 0, burst = 0] = rate.split('.').map(Number);
  return {
    ...of,
    limit: limitBeside === '' ? null : Number(limitBeside),
    rate: { key: decodeKey(rateKey), limit: rateLimit, perMs, burst },
  };
}

/** The queue that the node of an item names; null: the default queue. */
export function ownQueueName(name: string | null): string | null {
  const [first = DEFAULT_QUEUE] = (name ?? DEFAULT_QUEUE).split(MARK);
  const own = withoutShare(first);
  return own === DEFAULT_QUEUE ? null : own;
}

/** The parts of the name that a queued item carries. */
export interface QueuedNames {
  /** The queue that its node names; absent: the default queue. */
  readonly queueName?: string;
  /** Absent: it has no key of fairness. */
  readonly share?: FairShare;
  /** The item waits for a place or a token of it; absent: for a worker alone. */
  readonly quota?: Quota;
}

export function readQueuedNames(of: {
  readonly queueKey: string;
  readonly queueName: string | null;
}): QueuedNames {
  const queueName = ownQueueName(of.queueName);
  const share = readShare(of.queueName ?? '');
  const quota = readQuotaQueue(of.queueKey) === null ? null : readQuota(of.queueName ?? '');
  return {
    ...(queueName !== null && { queueName }),
    ...(share !== null && { share }),
    ...(quota !== null && { quota }),
  };
}

/** A queue below a quota, as an admission needs it. */
export interface QuotaQueue {
  /** Where items wait. */
  readonly waiting: string;
  /** The queue of their workers. */
  readonly served: string;
  /** The same for all queues that share the places. */
  readonly quota: string;
  /** Null: as many as there are. */
  readonly limit: number | null;
  readonly bucket: Bucket | null;
}

/** The tokens of a rate, as an admission needs them. */
export interface Bucket {
  /** The same for all queues that share the tokens. */
  readonly key: string;
  /** From one token to the next, rounded up: so never more come than the rate says. */
  readonly intervalUs: number;
  readonly burst: number;
}

/** By the key of the queue, see `queueKeyOf`. */
export function readQuotaQueue(waiting: string): QuotaQueue | null {
  if (!waiting.includes(MARK)) return null;
  const [tenantId = '', queue = '', name = ''] = waiting.split('/');
  const [queueName, limit, tool, key, , , rateKey = ''] = name.split(MARK);
  const quota = readQuota(name);
  if (quota === null || limit === undefined || tool === undefined || key === undefined) return null;
  const { rate } = quota;
  const shared = `${tenantId}/${queue}${MARK}${tool}${MARK}`;
  return {
    waiting,
    served: queueKeyOf({ tenantId, queue, queueName }),
    quota: shared + key,
    limit: quota.limit,
    bucket: rate && {
      key: shared + rateKey,
      intervalUs: tokenIntervalUs(rate),
      burst: rate.burst,
    },
  };
}

function encodeKey(key: string | null): string {
  return key === null ? '' : encode(key);
}

function decodeKey(text: string): string | null {
  return text === '' ? null : decodeURIComponent(text);
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
