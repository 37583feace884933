import { createPaged, nextByOffset, OFFSET_PAGE } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf } from '../wire.ts';

/** `client.schedules`: executions that start by the clock. */
export function createSchedules({ call, environment }: Transport) {
  const at = (id: string, options: CallOptions) => ({ ...options, path: { id } });
  return {
    create: (body: BodyOf<'create-schedule'>, options: CallOptions = {}) =>
      call('create-schedule', { ...options, body }),
    list: (query: QueryOf<'list-schedules'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: OFFSET_PAGE, ...query },
        read: (query) => call('list-schedules', { ...options, query }),
        items: ({ schedules }) => schedules,
        next: ({ schedules }, query) => nextByOffset(schedules.length, query),
      }),
    get: (id: string, options: CallOptions = {}) => call('read-schedule', at(id, options)),
    update: (id: string, body: BodyOf<'update-schedule'>, options: CallOptions = {}) =>
      call('update-schedule', { ...at(id, options), body }),
    delete: (id: string, options: CallOptions = {}) => call('delete-schedule', at(id, options)),
    /** Starts the execution of a schedule now; its fires stay. Sent again with one `Idempotency-Key`. */
    trigger: (id: string, options: TriggerOptions = {}) => {
      const { idempotencyKey = environment.uuid(), ...rest } = options;
      return call('trigger-schedule', {
        ...at(id, rest),
        headers: { 'idempotency-key': idempotencyKey },
      });
    },
    /** Starts past fires that have not started; `next_from` of the answer is where to continue. */
    backfill: (id: string, body: BodyOf<'backfill-schedule'>, options: CallOptions = {}) =>
      call('backfill-schedule', { ...at(id, options), body }),
    /** The next fires of a timing. */
    preview: (body: BodyOf<'preview-schedule'>, options: CallOptions = {}) =>
      call('preview-schedule', { ...options, body }),
  };
}

export interface TriggerOptions extends CallOptions {
  readonly idempotencyKey?: string;
}

/** `client.cron`: the same schedules, under the paths of `/cron`. */
export function createCron({ call }: Transport) {
  const at = (id: string, options: CallOptions) => ({ ...options, path: { id } });
  return {
    create: (body: BodyOf<'create-cron'>, options: CallOptions = {}) =>
      call('create-cron', { ...options, body }),
    list: (query: QueryOf<'list-crons'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: OFFSET_PAGE, ...query },
        read: (query) => call('list-crons', { ...options, query }),
        items: ({ schedules }) => schedules,
        next: ({ schedules }, query) => nextByOffset(schedules.length, query),
      }),
    get: (id: string, options: CallOptions = {}) => call('read-cron', at(id, options)),
    update: (id: string, body: BodyOf<'update-cron'>, options: CallOptions = {}) =>
      call('update-cron', { ...at(id, options), body }),
    delete: (id: string, options: CallOptions = {}) => call('delete-cron', at(id, options)),
  };
}
