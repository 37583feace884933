import { createPaged } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf } from '../wire.ts';

/** `client.memory`: facts that agents recall by meaning. */
export function createMemory({ call }: Transport) {
  return {
    add: (body: BodyOf<'add-fact'>, options: CallOptions = {}) =>
      call('add-fact', { ...options, body }),
    recall: (body: BodyOf<'recall-facts'>, options: CallOptions = {}) =>
      call('recall-facts', { ...options, body }),
    forget: (body: BodyOf<'forget-facts'>, options: CallOptions = {}) =>
      call('forget-facts', { ...options, body }),
    /** Newest first. */
    facts: (query: QueryOf<'list-facts'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: LIST_PAGE, ...query },
        read: (query) => call('list-facts', { ...options, query }),
        items: ({ facts }) => facts,
        next: ({ facts }, query) => {
          const last = facts.at(-1);
          const isLast = last === undefined || facts.length < Math.min(query.limit, LIST_PAGE);
          return isLast ? null : { ...query, before: last.created_at };
        },
      }),
    stats: (options: CallOptions = {}) => call('read-memory-stats', options),
    settings: (options: CallOptions = {}) => call('read-memory-settings', options),
    saveSettings: (body: BodyOf<'save-memory-settings'>, options: CallOptions = {}) =>
      call('save-memory-settings', { ...options, body }),
    changeSettings: (body: BodyOf<'change-memory-settings'>, options: CallOptions = {}) =>
      call('change-memory-settings', { ...options, body }),
    testSettings: (body: BodyOf<'test-memory-settings'>, options: CallOptions = {}) =>
      call('test-memory-settings', { ...options, body }),
  };
}

const LIST_PAGE = 200;
