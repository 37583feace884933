import type { CallOptions, Transport } from '../transport.ts';

/** `client.service`: the process that answers, and the documents about it. */
export function createService({ call }: Transport) {
  return {
    describe: (options: CallOptions = {}) => call('get-root', options),
    /** That the process is alive. */
    health: (options: CallOptions = {}) => call('get-health', options),
    /** That it can serve requests; rejects with an `UnavailableError` where it cannot. */
    ready: (options: CallOptions = {}) => call('get-ready', options),
    /** The caller's tenant and role, and the routes that the role may use. */
    whoAmI: (options: CallOptions = {}) => call('who-am-i', options),
    /** The processes and tool workers that are alive. */
    workers: async (options: CallOptions = {}) => (await call('list-workers', options)).workers,
    openApi: (options: CallOptions = {}) => call('get-openapi', options),
    workflowSchema: (options: CallOptions = {}) => call('get-workflow-schema', options),
    did: (options: CallOptions = {}) => call('get-did', options),
    card: (options: CallOptions = {}) => call('get-runtime-card', options),
    agentCard: (options: CallOptions = {}) => call('get-agent-card', options),
  };
}
