import { createPaged, nextByCursor, OFFSET_PAGE } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf } from '../wire.ts';

/** `client.tenants`: for operators of the tenant `default`. */
export function createTenants({ call }: Transport) {
  const at = (id: string, options: CallOptions) => ({ ...options, path: { id } });
  return {
    create: (body: BodyOf<'create-tenant'>, options: CallOptions = {}) =>
      call('create-tenant', { ...options, body }),
    list: (query: QueryOf<'list-tenants'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: LIST_PAGE, ...query },
        read: (query) => call('list-tenants', { ...options, query }),
        items: ({ tenants }) => tenants,
        next: nextByCursor,
      }),
    get: (id: string, options: CallOptions = {}) => call('read-tenant', at(id, options)),
    update: (id: string, body: BodyOf<'update-tenant'>, options: CallOptions = {}) =>
      call('update-tenant', { ...at(id, options), body }),
  };
}

/** `client.tokens`: tokens of the tenant. */
export function createTokens({ call }: Transport) {
  const at = (id: string, options: CallOptions) => ({ ...options, path: { id } });
  return {
    /** The answer alone has the token itself: nobody can read it later. */
    create: (body: BodyOf<'create-token'>, options: CallOptions = {}) =>
      call('create-token', { ...options, body }),
    list: (query: QueryOf<'list-tokens'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: LIST_PAGE, ...query },
        read: (query) => call('list-tokens', { ...options, query }),
        items: ({ tokens }) => tokens,
        next: nextByCursor,
      }),
    revoke: (id: string, options: CallOptions = {}) => call('revoke-token', at(id, options)),
    rotate: (id: string, query: QueryOf<'rotate-token'> = {}, options: CallOptions = {}) =>
      call('rotate-token', { ...at(id, options), query }),
  };
}

/** `client.retention`: how long executions that have ended are kept. */
export function createRetention({ call }: Transport) {
  return {
    policies: (query: QueryOf<'list-retention-policies'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: OFFSET_PAGE, ...query },
        read: (query) => call('list-retention-policies', { ...options, query }),
        items: ({ policies }) => policies,
        next: nextByCursor,
      }),
    set: (body: BodyOf<'set-retention-policy'>, options: CallOptions = {}) =>
      call('set-retention-policy', { ...options, body }),
    remove: (query: QueryOf<'remove-retention-policy'> = {}, options: CallOptions = {}) =>
      call('remove-retention-policy', { ...options, query }),
    /** Counts the executions that the policies, or one under consideration, would remove now. */
    preview: (query: QueryOf<'preview-retention'> = {}, options: CallOptions = {}) =>
      call('preview-retention', { ...options, query }),
  };
}

/** `client.audit`: the audit log. */
export function createAudit({ call }: Transport) {
  return {
    /** Newest first. */
    list: (query: QueryOf<'list-audit'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: OFFSET_PAGE, ...query },
        read: (query) => call('list-audit', { ...options, query }),
        items: ({ items }) => items,
        next: nextByCursor,
      }),
    /** Its pages are the parts of a verification, its items the problems: none is good. */
    verify: (query: QueryOf<'verify-audit'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: query,
        read: (query) => call('verify-audit', { ...options, query }),
        items: ({ problems }) => problems,
        next: nextByCursor,
      }),
  };
}

/** `client.system`: the installation, for operators of the tenant `default`. */
export function createSystem({ call }: Transport) {
  return {
    /** Which processes run, and on which database. */
    read: (options: CallOptions = {}) => call('read-system', options),
    /** The checks of `svc doctor`. */
    doctor: (query: QueryOf<'examine-system'> = {}, options: CallOptions = {}) =>
      call('examine-system', { ...options, query }),
    /** The settings in force; secrets are masked. */
    settings: async (options: CallOptions = {}) => (await call('list-settings', options)).settings,
  };
}

const LIST_PAGE = 200;
