import { createPaged, nextByCursor, OFFSET_PAGE } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf, WorkflowDefinition } from '../wire.ts';

/** `client.workflows`: registered definitions. */
export function createWorkflows({ call }: Transport) {
  return {
    /**
     * Registers a definition, as a `WorkflowDefinition` or as JSON that nobody has checked yet.
     * `strict`: warnings refuse it.
     */
    register: (
      definition: object,
      { strict = false, ...options }: CallOptions & { readonly strict?: boolean } = {},
    ) =>
      call('register-workflow', {
        ...options,
        ...(strict && { query: { strict } }),
        body: { ir: definition as WorkflowDefinition },
      }),
    /**
     * Checks a definition and stores nothing. A text gives each problem its line and column:
     * `validate({ text })` for a JSON or YAML file, `validate({ ir })` for a definition.
     */
    validate: (body: BodyOf<'validate-workflow'>, options: CallOptions = {}) =>
      call('validate-workflow', { ...options, body }),
    /** Runs a definition in memory: samples stand for what its nodes do. Nothing is called or stored. */
    simulate: (body: BodyOf<'simulate-workflow'>, options: CallOptions = {}) =>
      call('simulate-workflow', { ...options, body }),
    /** All versions, newest first. */
    list: (query: QueryOf<'list-workflows'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: OFFSET_PAGE, ...query },
        read: (query) => call('list-workflows', { ...options, query }),
        items: ({ workflows }) => workflows,
        next: nextByCursor,
      }),
    /** `version` absent: the one that was registered last. */
    get: (
      workflowId: string,
      { version, ...options }: CallOptions & { readonly version?: string } = {},
    ) => call('read-workflow', { ...options, path: { id: workflowId }, query: { version } }),
    /** Starts nothing more until it is resumed, and holds what is running. */
    pause: (workflowId: string, body: BodyOf<'pause-workflow'> = {}, options: CallOptions = {}) =>
      call('pause-workflow', { ...options, path: { id: workflowId }, body }),
    resume: (workflowId: string, options: CallOptions = {}) =>
      call('resume-workflow', { ...options, path: { id: workflowId } }),
  };
}
