import { createPaged, nextByCursor } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf, ReplyOf } from '../wire.ts';
import { startMany, type StartEntries, type StartManyOptions } from './start-many.ts';

/** `client.executions`: executions by their ids. `client.execution(id)` has them for one. */
export function createExecutions(transport: Transport) {
  const { call, environment } = transport;
  const at = (id: string, options: CallOptions) => ({ ...options, path: { id } });
  return {
    /**
     * Starts an execution. Every attempt carries one `Idempotency-Key`, which is made up if the
     * caller gives none, so that a lost answer never starts a second one.
     */
    start: (body: BodyOf<'start-execution'>, options: StartCallOptions = {}) => {
      const { idempotencyKey, traceparent, waitMs, ...rest } = options;
      return call('start-execution', {
        ...rest,
        body,
        ...(waitMs !== undefined && { waitMs, query: { wait: `${Math.ceil(waitMs)}ms` } }),
        headers: {
          'idempotency-key': idempotencyKey ?? environment.uuid(),
          ...(traceparent !== undefined && { traceparent }),
        },
      });
    },
    /**
     * Starts many executions. Resolves with a verdict for each, in their order: with `execution_id`,
     * or with `error`. Every entry carries an idempotency key, so that a lost answer never starts a
     * second execution. Entries with keys of the caller's own may be passed again after an error.
     */
    startMany: (entries: StartEntries, options: StartManyOptions = {}) =>
      startMany(transport, entries, options),
    /** Newest first. `q` is a query such as `status = failed and error ~ "timeout"`. */
    list: (query: QueryOf<'list-executions'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: LIST_PAGE, ...query },
        read: (query) => call('list-executions', { ...options, query }),
        items: ({ executions }) => executions,
        next: nextByCursor,
      }),
    /** How many there are, by status and by the time of their start. Takes the filters of `list`. */
    counts: (query: QueryOf<'count-executions'> = {}, options: CallOptions = {}) =>
      call('count-executions', { ...options, query }),
    get: (id: string, options: CallOptions = {}) => call('read-execution', at(id, options)),
    /** How it ended; without `output` and `error` where it has not ended within `waitMs`. */
    result: (
      id: string,
      {
        waitMs,
        state,
        ...options
      }: CallOptions & {
        readonly waitMs?: number;
        /** Adds the final state. */
        readonly state?: boolean;
      } = {},
    ) =>
      call('read-result', {
        ...at(id, options),
        ...(waitMs !== undefined && { waitMs }),
        query: {
          ...(waitMs !== undefined && { wait: `${Math.ceil(waitMs)}ms` }),
          ...(state === true && { state: 'true' as const }),
        },
      }),
    /** Why it rests, and what would move it on. */
    explain: (id: string, options: CallOptions = {}) => call('explain-execution', at(id, options)),
    /** The history so far. Events as they come: `client.execution(id).events()`. */
    history: (id: string, query: QueryOf<'read-events'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: EVENTS_PAGE, ...query },
        read: (query) => call('read-events', { ...at(id, options), query }),
        items: ({ events }) => events,
        next: ({ events }, query) => {
          const last = events.at(-1);
          if (last === undefined || events.length < query.limit) return null;
          const { sequence } = last;
          return query.order === 'desc'
            ? { ...query, before: sequence }
            : { ...query, after: sequence };
        },
      }),
    /** The state after one of its events; by default the last. */
    state: (id: string, query: QueryOf<'read-state'> = {}, options: CallOptions = {}) =>
      call('read-state', { ...at(id, options), query }),
    /** The changes between the states after two events. */
    stateDiff: (id: string, query: QueryOf<'compare-state'> = {}, options: CallOptions = {}) =>
      call('compare-state', { ...at(id, options), query }),
    /** For each key of the state: the event that set it last. */
    stateBlame: (id: string, query: QueryOf<'blame-state'> = {}, options: CallOptions = {}) =>
      call('blame-state', { ...at(id, options), query }),
    /** The activity of every node, and of each of its visits. */
    timeline: (id: string, query: QueryOf<'read-timeline'> = {}, options: CallOptions = {}) =>
      call('read-timeline', { ...at(id, options), query }),
    /** The whole execution as one document, which `import` takes. */
    export: (id: string, options: CallOptions = {}) => call('export-execution', at(id, options)),
    import: (document: BodyOf<'import-execution'>, options: CallOptions = {}) =>
      call('import-execution', { ...options, body: document }),
    cancel: (id: string, options: CallOptions = {}) => call('cancel-execution', at(id, options)),
    pause: (id: string, body: BodyOf<'pause-execution'> = {}, options: CallOptions = {}) =>
      call('pause-execution', { ...at(id, options), body }),
    resume: (id: string, options: CallOptions = {}) => call('resume-execution', at(id, options)),
    /** Moves the functions that are pinned to a build of their workers to another one. */
    move: (id: string, body: BodyOf<'move-execution'>, options: CallOptions = {}) =>
      call('move-execution', { ...at(id, options), body }),
    /** Starts a new execution that resumes where this one failed. */
    retry: (id: string, body: BodyOf<'retry-execution'> = {}, options: CallOptions = {}) =>
      call('retry-execution', { ...at(id, options), body }),
    /**
     * Starts a new execution that carries this one up to a point; its calls have keys of their own.
     * Every attempt carries one `Idempotency-Key`, so that a lost answer never starts a second fork.
     */
    fork: async (id: string, body: ForkRequest, options: ForkCallOptions = {}): Promise<Forked> => {
      const { idempotencyKey, ...rest } = options;
      const answer = await call('fork-execution', {
        ...at(id, rest),
        body,
        headers: { 'idempotency-key': idempotencyKey ?? environment.uuid() },
      });
      if ('execution_id' in answer) return answer;
      throw new TypeError('`dry_run` is for previewFork');
    },
    /** Tells what a fork would keep and run; starts nothing. */
    previewFork: async (
      id: string,
      body: ForkRequest,
      options: CallOptions = {},
    ): Promise<ForkPreview> => {
      const request = { ...at(id, options), body: { ...body, dry_run: true } };
      const answer = await call('fork-execution', request);
      if ('begins' in answer) return answer;
      throw new TypeError('the runtime started a fork: it knows no dry run');
    },
    /** The forks of an execution, newest first. */
    forks: (id: string, query: QueryOf<'list-forks'> = {}, options: CallOptions = {}) =>
      call('list-forks', { ...at(id, options), query }),
    /** Acts on many executions, one page of them at a time. */
    bulk: (body: BodyOf<'bulk-executions'>, options: CallOptions = {}) =>
      call('bulk-executions', { ...options, body }),
    /** Decides an approval. */
    approve: (id: string, body: BodyOf<'approve-execution'>, options: CallOptions = {}) =>
      call('approve-execution', { ...at(id, options), body }),
    approvals: (id: string, options: CallOptions = {}) => call('list-approvals', at(id, options)),
    /** Delivers an external event. */
    deliver: (id: string, body: BodyOf<'deliver-external-event'>, options: CallOptions = {}) =>
      call('deliver-external-event', { ...at(id, options), body }),
  };
}

/** Where a fork leaves its original, and what it changes. */
export type ForkRequest = Omit<BodyOf<'fork-execution'>, 'dry_run'>;
export type Forked = Extract<ReplyOf<'fork-execution'>, { readonly execution_id: string }>;
export type ForkPreview = Extract<ReplyOf<'fork-execution'>, { readonly begins: unknown }>;

export interface ForkCallOptions extends CallOptions {
  readonly idempotencyKey?: string;
}

export interface StartCallOptions extends CallOptions {
  readonly idempotencyKey?: string;
  /** W3C Trace Context, for the spans of the execution. */
  readonly traceparent?: string;
  /** Answers when it ends within this time; 60 s at most. */
  readonly waitMs?: number;
}

const LIST_PAGE = 200;
const EVENTS_PAGE = 500;
