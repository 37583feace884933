import type { RoundResult } from '../scheduling/round-result.ts';
import type { AgentsDeps } from './deps.ts';

/** For the scheduler: writes down that silent agents are paused. */
export async function pauseSilentAgents(
  { store, settings: { heartbeatTimeoutMs } }: Pick<AgentsDeps, 'store' | 'settings'>,
  { limit }: { readonly limit: number },
): Promise<RoundResult> {
  const found = await store.pauseSilent({ heartbeatTimeoutMs, limit });
  return { found, more: found === limit };
}
