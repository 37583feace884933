import { createPaged, nextByCursor, OFFSET_PAGE } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf } from '../wire.ts';

/** `client.webhooks`: addresses that get events of executions. */
export function createWebhooks({ call }: Transport) {
  const at = (id: string, options: CallOptions) => ({ ...options, path: { id } });
  return {
    create: (body: BodyOf<'create-webhook'>, options: CallOptions = {}) =>
      call('create-webhook', { ...options, body }),
    list: async (options: CallOptions = {}) => (await call('list-webhooks', options)).webhooks,
    delete: (id: string, options: CallOptions = {}) => call('delete-webhook', at(id, options)),
    deliveries: (id: string, query: QueryOf<'list-deliveries'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: OFFSET_PAGE, ...query },
        read: (query) => call('list-deliveries', { ...at(id, options), query }),
        items: ({ deliveries }) => deliveries,
        next: nextByCursor,
      }),
    /** Sends a message again that was delivered or given up. */
    redeliver: (id: string, deliveryId: string, options: CallOptions = {}) =>
      call('redeliver-message', { ...options, path: { id, delivery_id: deliveryId } }),
  };
}
