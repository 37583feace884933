import { createPaged, nextByCursor } from '../paged.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, QueryOf } from '../wire.ts';

/** `client.agents`: registered agents, and workflows that are exposed as agents. */
export function createAgents({ call }: Transport) {
  const at = (id: string, options: CallOptions) => ({ ...options, path: { id } });
  return {
    register: (body: BodyOf<'register-agent'>, options: CallOptions = {}) =>
      call('register-agent', { ...options, body }),
    list: (query: QueryOf<'list-agents'> = {}, options: CallOptions = {}) =>
      createPaged({
        first: { limit: LIST_PAGE, ...query },
        read: (query) => call('list-agents', { ...options, query }),
        items: ({ agents }) => agents,
        next: nextByCursor,
      }),
    get: (id: string, options: CallOptions = {}) => call('read-agent', at(id, options)),
    /** Registers the agent that describes itself at this address. */
    discover: (url: string, options: CallOptions = {}) =>
      call('discover-agent', { ...options, body: { url } }),
    /** The card at this address, and what a discovery would do. */
    preview: (url: string, options: CallOptions = {}) =>
      call('preview-agent', { ...options, body: { url } }),
    activate: (id: string, options: CallOptions = {}) => call('activate-agent', at(id, options)),
    deactivate: (id: string, options: CallOptions = {}) =>
      call('deactivate-agent', at(id, options)),
    heartbeat: (id: string, options: CallOptions = {}) => call('heartbeat-agent', at(id, options)),
    /** The A2A card of a workflow that is exposed as an agent. */
    workflowCard: (workflowId: string, options: CallOptions = {}) =>
      call('get-workflow-card', { ...options, path: { workflow_id: workflowId } }),
  };
}

const LIST_PAGE = 200;
