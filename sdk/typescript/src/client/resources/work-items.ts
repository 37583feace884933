import { createPaged, nextByCursor } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf } from '../wire.ts';

/** `client.workItems`: the worker protocol, and items whose attempts are used up. */
export function createWorkItems({ call }: Transport) {
  const at = (id: string, options: CallOptions) => ({ ...options, path: { id } });
  return {
    claim: (body: BodyOf<'claim-work-item'>, options: CallOptions = {}) =>
      call('claim-work-item', { ...options, body, waitMs: body.wait_ms ?? 0 }),
    /** Several calls for items in one request; each has a result of its own. */
    report: (body: BodyOf<'report-work-items'>, options: CallOptions = {}) =>
      call('report-work-items', { ...options, body }),
    heartbeat: (id: string, body: BodyOf<'renew-lease'>, options: CallOptions = {}) =>
      call('renew-lease', { ...at(id, options), body }),
    complete: (id: string, body: BodyOf<'complete-work-item'>, options: CallOptions = {}) =>
      call('complete-work-item', { ...at(id, options), body }),
    fail: (id: string, body: BodyOf<'fail-work-item'>, options: CallOptions = {}) =>
      call('fail-work-item', { ...at(id, options), body }),
    /** A page of the journal of a durable function that is leased. */
    journal: (id: string, query: QueryOf<'read-journal'>, options: CallOptions = {}) =>
      call('read-journal', { ...at(id, options), query }),
    /** Appends entries to the journal of a durable function. */
    record: (id: string, body: BodyOf<'record-steps'>, options: CallOptions = {}) =>
      call('record-steps', { ...at(id, options), body }),
    /** Gives the lease of a durable function back until one of its waits is satisfied. */
    suspend: (id: string, body: BodyOf<'suspend-work-item'>, options: CallOptions = {}) =>
      call('suspend-work-item', { ...at(id, options), body }),
    /** Ends the visit of a durable function and begins another one with a new input. */
    continue: (id: string, body: BodyOf<'continue-work-item'>, options: CallOptions = {}) =>
      call('continue-work-item', { ...at(id, options), body }),
    release: (id: string, body: BodyOf<'release-work-item'>, options: CallOptions = {}) =>
      call('release-work-item', { ...at(id, options), body }),
    deadLetters: (
      query: Omit<QueryOf<'list-dead-letters'>, 'status'> = {},
      options: CallOptions = {},
    ) =>
      createPaged({
        first: { status: 'dead_lettered', limit: LIST_PAGE, ...query },
        read: (query) => call('list-dead-letters', { ...options, query }),
        items: ({ work_items: items }) => items,
        next: nextByCursor,
      }),
    /** A dead letter with its input, its failures, and what can be done about it. */
    deadLetter: (id: string, options: CallOptions = {}) =>
      call('read-dead-letter', at(id, options)),
    /** Gives a dead letter a new attempt. */
    requeue: (id: string, options: CallOptions = {}) => call('requeue-work-item', at(id, options)),
  };
}

const LIST_PAGE = 200;
