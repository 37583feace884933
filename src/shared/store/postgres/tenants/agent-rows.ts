import { sql } from 'slonik';
import { z } from 'zod';

import { AGENT_STATUSES, type AgentCard } from '../../../domain/agents/agent-card.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { AgentRow } from '../../agents.ts';

export const AgentRecord = z.object({
  tenant_id: z.string(),
  agent_id: z.string(),
  card: z.string(),
  status: z.enum(AGENT_STATUSES),
  discovered_from: z.string().nullable(),
  registered_at: z.string(),
  updated_at: z.string(),
  last_heartbeat: z.string().nullable(),
});

/** `now()` would be the start of a transaction; milliseconds are what is shown. */
export const STAMP = sql.fragment`date_trunc('milliseconds', clock_timestamp())`;

export function agentColumns(heartbeatTimeoutMs: number) {
  return sql.fragment`
    a.tenant_id, a.agent_id, a.card, ${shownStatus(heartbeatTimeoutMs)} as status,
    a.discovered_from, a.registered_at, a.updated_at, a.last_heartbeat`;
}

export function shownStatus(heartbeatTimeoutMs: number) {
  return sql.fragment`
    case
      when a.status = 'active' and a.heard_at <= ${silentSince(heartbeatTimeoutMs)} then 'paused'
      else a.status
    end`;
}

export function silentSince(heartbeatTimeoutMs: number) {
  return sql.fragment`clock_timestamp() - ${heartbeatTimeoutMs}::int8 * interval '1 millisecond'`;
}

export function decodeAgent(row: z.infer<typeof AgentRecord>): AgentRow {
  return {
    tenantId: row.tenant_id as TenantId,
    agentId: row.agent_id,
    card: JSON.parse(row.card) as AgentCard,
    status: row.status,
    discoveredFrom: row.discovered_from,
    registeredAt: row.registered_at,
    updatedAt: row.updated_at,
    lastHeartbeat: row.last_heartbeat,
  };
}
