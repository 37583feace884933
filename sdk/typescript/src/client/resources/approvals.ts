import { createPaged, nextByCursor } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf } from '../wire.ts';

/** `client.approvals`: the decisions that all executions wait for. */
export function createApprovals({ call }: Transport) {
  return {
    /** Open approvals, oldest first; with `status: 'decided'` those of the last 90 days. */
    list: (query: QueryOf<'list-all-approvals'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: LIST_PAGE, ...query },
        read: (query) => call('list-all-approvals', { ...options, query }),
        items: ({ approvals }) => approvals,
        next: nextByCursor,
      }),
    /** Decides several, each with a result of its own. */
    decide: (body: BodyOf<'decide-approvals'>, options: CallOptions = {}) =>
      call('decide-approvals', { ...options, body }),
  };
}

const LIST_PAGE = 200;
