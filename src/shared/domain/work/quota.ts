import { DEFAULT_QUEUE, queueKeyOf } from './queue-key.ts';

/*
 * An item below a quota waits on a queue of its own until it has a place: the name of its node's
 * queue, then the limit, the tool and the key, each after `#`. No node and no claim can name such a
 * queue, so claims never look at what waits there, and cost what they did.
 */

const MARK = '#';

export interface Quota {
  /** The queue that the node names. */
  readonly queueName: string;
  /** The most items that may be with workers at a time. */
  readonly limit: number;
  readonly tool: string;
  /** Null: one quota for all calls of the tool. */
  readonly key: string | null;
}

/** The longest text of a key. */
export const QUOTA_KEY_MAX = 256;
/** The key and the tool are parts of an index entry, which has a limit. */
const ENCODED_MAX = 1_500;

/** Null: tool and key are too long together. */
export function quotaQueueName({ queueName, limit, tool, key }: Quota): string | null {
  const name = [queueName, limit, encode(tool), key === null ? '' : encode(key)].join(MARK);
  return name.length > ENCODED_MAX ? null : name;
}

/** Null: a queue below no quota. */
export function readQuota(name: string): Quota | null {
  if (!name.includes(MARK)) return null;
  const [queueName = '', limit, tool, key = ''] = name.split(MARK);
  if (limit === undefined || tool === undefined) return null;
  return {
    queueName,
    limit: Number(limit),
    tool: decodeURIComponent(tool),
    key: key === '' ? null : decodeURIComponent(key),
  };
}

/** The queue that the node of an item names; null: the default queue. */
export function ownQueueName(name: string | null): string | null {
  const [own = DEFAULT_QUEUE] = (name ?? DEFAULT_QUEUE).split(MARK);
  return own === DEFAULT_QUEUE ? null : own;
}

/** A queue below a quota, as an admission needs it. */
export interface QuotaQueue {
  /** Where items wait. */
  readonly waiting: string;
  /** The queue of their workers. */
  readonly served: string;
  /** The same for all queues that share the places. */
  readonly quota: string;
  readonly limit: number;
}

/** By the key of the queue, see `queueKeyOf`. */
export function readQuotaQueue(waiting: string): QuotaQueue | null {
  if (!waiting.includes(MARK)) return null;
  const [tenantId = '', queue = '', name = ''] = waiting.split('/');
  const [queueName, limit, tool, key] = name.split(MARK);
  if (limit === undefined || tool === undefined || key === undefined) return null;
  return {
    waiting,
    served: queueKeyOf({ tenantId, queue, queueName }),
    quota: `${tenantId}/${queue}${MARK}${tool}${MARK}${key}`,
    limit: Number(limit),
  };
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
