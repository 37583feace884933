import { withoutShare } from './fair-queue.ts';
import { DEFAULT_QUEUE } from './queue-key.ts';

/*
 * A function that is pinned to a build of its workers waits on a queue of that build: the name of its
 * node's queue, `@` and the build. No node can name such a queue, so only claims with that build look
 * at it, and all other claims cost what they did.
 */

/** The name of a build: part of the key of a queue. */
export const BUILD_ID = /^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$/;

const MARK = '@';

/** Null and absent: the default queue. The share of a key of fairness and a quota stay at the end of the name. */
export function buildQueueName(queueName: string | null | undefined, buildId: string): string {
  const name = queueName ?? DEFAULT_QUEUE;
  const [own = name] = name.split(/[~#]/, 1);
  return `${own}${MARK}${buildId}${name.slice(own.length)}`;
}

/** The queue that the node names, and the build; `buildId` null: a queue of no build. */
export function readQueueName(name: string): {
  readonly queueName: string;
  readonly buildId: string | null;
} {
  const own = withoutShare(name);
  const at = own.indexOf(MARK);
  return at < 0
    ? { queueName: own, buildId: null }
    : { queueName: own.slice(0, at), buildId: own.slice(at + 1) };
}
