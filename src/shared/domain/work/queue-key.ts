/** Items whose node names no queue are on this one. */
export const DEFAULT_QUEUE = 'default';

/**
 * The key of a queue in the store: `engine`, `<tenant>/<type>`, and `<tenant>/<type>/<name>` for a
 * named one. The engine's queue serves all tenants; neither tenants nor names have a slash.
 */
export function queueKeyOf(of: {
  readonly tenantId: string | null;
  readonly queue: string;
  readonly queueName?: string | undefined;
}): string {
  const { tenantId, queue, queueName = DEFAULT_QUEUE } = of;
  if (queue === 'engine') return queue;
  const key = `${tenantId ?? ''}/${queue}`;
  return queueName === DEFAULT_QUEUE ? key : `${key}/${queueName}`;
}
