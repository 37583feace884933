import { createPaged, nextByCursor } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { QueryOf } from '../wire.ts';

/** `client.work`: what waits, what is out, and what failed. */
export function createWorkOverview({ call }: Transport) {
  return {
    /** Queues and tools, with the workers that serve each. */
    queues: (options: CallOptions = {}) => call('list-queues', options),
    /** Items that are leased now. */
    leases: (query: QueryOf<'list-leases'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: LIST_PAGE, ...query },
        read: (query) => call('list-leases', { ...options, query }),
        items: ({ leases }) => leases,
        next: nextByCursor,
      }),
    /** Groups of dead letters and failed executions by cause, the largest first. */
    failureGroups: (query: QueryOf<'list-failures'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: query,
        read: (query) => call('list-failures', { ...options, query }),
        items: ({ groups }) => groups,
        next: nextByCursor,
      }),
    /** A page of `failureGroups`, with the time that it covers. */
    failures: (query: QueryOf<'list-failures'> = {}, options: CallOptions = {}) =>
      call('list-failures', { ...options, query }),
    /** All failures of one of these groups, the latest first, with the query that found the group. */
    failuresOfGroup: (
      id: string,
      query: QueryOf<'list-failures-of-group'> = {},
      options: CallOptions = {},
    ) =>
      createPaged({
        first: { limit: LIST_PAGE, ...query },
        read: (query) => call('list-failures-of-group', { ...options, path: { id }, query }),
        items: ({ failures }) => failures,
        next: nextByCursor,
      }),
  };
}

const LIST_PAGE = 200;
