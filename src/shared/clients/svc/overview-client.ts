import type { JsonObject } from '../../domain/json.ts';
import type { ApiRequest } from './request.ts';
import type {
  WireDecisions,
  WireFailures,
  WireFailuresOfGroup,
  WireListedApprovals,
  WireQueues,
  WireWorkers,
} from './overview-wire.ts';

/** Readings of everything that waits, works or failed, and decisions on several approvals. */
export interface OverviewClient {
  listAllApprovals(query: Query): Promise<WireListedApprovals>;
  decideApprovals(decisions: readonly JsonObject[]): Promise<WireDecisions>;
  listQueues(): Promise<WireQueues>;
  listWorkers(): Promise<WireWorkers>;
  listFailures(query: Query): Promise<WireFailures>;
  listFailuresOfGroup(groupId: string, query: Query): Promise<WireFailuresOfGroup>;
}

type Query = Readonly<Record<string, string | number | null>>;
type Call = <Body>(member: string & keyof Body, request: ApiRequest) => Promise<Body>;

export function createOverviewClient(call: Call): OverviewClient {
  return {
    listAllApprovals: (query) => call('approvals', { method: 'GET', path: '/approvals', query }),
    decideApprovals: (decisions) =>
      call('results', { method: 'POST', path: '/approvals/decide', body: { decisions } }),
    listQueues: () => call('queues', { method: 'GET', path: '/queues' }),
    listWorkers: () => call('workers', { method: 'GET', path: '/workers' }),
    listFailures: (query) => call('groups', { method: 'GET', path: '/failures', query }),
    listFailuresOfGroup: (groupId, query) =>
      call('failures', { method: 'GET', path: `/failures/${encodeURIComponent(groupId)}`, query }),
  };
}
