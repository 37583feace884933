import { DEFAULT_QUEUE } from './claim-filter.ts';

/**
 * What stands for one queue in the store: `engine`, `<tenant>/<type>`, and `<tenant>/<type>/<name>` of
 * a named one. The engine's queue is one for all tenants; neither tenants nor names have a slash.
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

/** Absent: the default queue. */
export function queueNameOf(queueKey: string): { readonly queueName?: string } {
  const queueName = queueKey.split('/')[2];
  return queueName === undefined ? {} : { queueName };
}
