/** Items whose node names no queue are on this one. */
export const DEFAULT_QUEUE = 'default';

/** Begins the share of a key of fairness in the name of a queue. */
export const SHARE_MARK = '~';

/**
 * The key of a queue in the store: `engine`, `<tenant>/<type>`, and `<tenant>/<type>/<name>` for a
 * named one. The engine's queue serves all tenants; neither tenants nor names have a slash. A queue of
 * shares has no share in its key; see `fair-queue.ts`.
 */
export function queueKeyOf(of: {
  readonly tenantId: string | null;
  readonly queue: string;
  readonly queueName?: string | undefined;
}): string {
  const { tenantId, queue, queueName = DEFAULT_QUEUE } = of;
  if (queue === 'engine') return queue;
  const key = `${tenantId ?? ''}/${queue}`;
  return queueName === DEFAULT_QUEUE ? key : `${key}/${cutShare(queueName)}`;
}

/** Below a quota an item waits elsewhere, and its share decides nothing yet. */
function cutShare(queueName: string): string {
  const at = queueName.indexOf(SHARE_MARK);
  return at < 0 || queueName.includes('#') ? queueName : queueName.slice(0, at + 1);
}
