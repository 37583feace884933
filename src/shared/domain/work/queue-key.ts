/** Items whose node names no queue are on this one. */
export const DEFAULT_QUEUE = 'default';

/**
 * The queue of the engine by its name, in the names of queues below quotas. It is not the default one, because
 * an admission takes the name of a quota from items that move there: items of the engine have no record
 * that keeps it.
 */
export const ENGINE_QUEUE = 'engine';

/** Begins the share of a key of fairness in the name of a queue. */
export const SHARE_MARK = '~';

/**
 * The key of a queue in the store: `engine`, `<tenant>/<type>`, and `<tenant>/<type>/<name>` for a
 * named one. The engine's queue serves all tenants, but its items below a quota wait on a queue of their
 * tenant. Neither tenants nor names have a slash. A queue of shares has no share in its key; see
 * `fair-queue.ts`.
 */
export function queueKeyOf(of: {
  readonly tenantId: string | null;
  readonly queue: string;
  readonly queueName?: string | undefined;
}): string {
  const { tenantId, queue, queueName = DEFAULT_QUEUE } = of;
  if (queue === 'engine' && !queueName.includes('#')) return queue;
  const key = `${tenantId ?? ''}/${queue}`;
  return queueName === DEFAULT_QUEUE ? key : `${key}/${cutShare(queueName)}`;
}

/** Below a quota an item waits elsewhere, and its share decides nothing yet. */
function cutShare(queueName: string): string {
  const at = queueName.indexOf(SHARE_MARK);
  return at < 0 || queueName.includes('#') ? queueName : queueName.slice(0, at + 1);
}
