import type { Reader } from '../caller.ts';
import type { AgentsDeps } from './deps.ts';

/** A document that everyone may read is not to grow without bound. */
const SERVICES_MAX = 1000;

/** The agents of a tenant that the runtime's DID document lists. */
export function listActiveAgents(
  { store, settings: { heartbeatTimeoutMs } }: AgentsDeps,
  { tenantId }: Reader,
): Promise<readonly { readonly agentId: string; readonly uri: string | null }[]> {
  return store.listActive({ tenantId, heartbeatTimeoutMs, limit: SERVICES_MAX });
}
