import { notFound } from '../../domain/errors.ts';
import type { AgentRef, AgentRow } from '../../store/agents.ts';
import type { Reader } from '../caller.ts';
import type { AgentsDeps } from './deps.ts';

export interface AgentName {
  readonly agentId: string;
}

/** Reads the agent with the statement. Throws 404 when the tenant has no such agent. */
export async function askAgent<Asking extends Reader>(
  { settings }: Pick<AgentsDeps, 'settings'>,
  agent: Asking & AgentName,
  statement: (ref: Asking & AgentRef) => Promise<AgentRow | null>,
): Promise<AgentRow> {
  const { heartbeatTimeoutMs } = settings;
  const row = await statement({ ...agent, heartbeatTimeoutMs });
  if (row === null) throw notFound(`agent ${agent.agentId}`);
  return row;
}
