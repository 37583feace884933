import { sql } from 'slonik';
import { z } from 'zod';

import { skillNames } from '../../../domain/agents/agent-card.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { AgentStore, CountAgents } from '../../agents.ts';
import { appendAuditEntry } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';
import { hearAgent, pauseSilent } from './agent-heartbeats.ts';
import { agentColumns, AgentRecord, decodeAgent, shownStatus, STAMP } from './agent-rows.ts';

const AddressRecord = z.object({ agent_id: z.string(), uri: z.string().nullable() });
const IdRecord = z.object({ agent_id: z.string() });

const NumberRecord = z.object({ count: z.number() });

export function createAgentStore(management: Management): AgentStore {
  return {
    register: (params) => registerAgent(management, params),
    find: (params) => findAgent(management, params),
    findDiscovered: (params) => findDiscovered(management, params),
    list: (params) => listAgents(management, params),
    count: (filter) => countAgents(management, filter),
    listActive: (params) => listActive(management, params),
    activate: (params) => activateAgent(management, params),
    deactivate: (params) => deactivateAgent(management, params),
    heartbeat: (params) => hearAgent(management, params),
    pauseSilent: (params) => pauseSilent(management, params),
  };
}

async function registerAgent(
  management: Management,
  {
    tenantId,
    agentId,
    card,
    discoveredFrom,
    heartbeatTimeoutMs,
    actorId,
  }: Parameters<AgentStore['register']>[0],
): ReturnType<AgentStore['register']> {
  const [row] = await management.any(
    sql.type(AgentRecord)`
      with stored as (
        insert into agents as a (
          tenant_id, agent_id, card, uri, skills, protocols, status, discovered_from,
          registered_at, updated_at
        )
        select ${tenantId}, ${agentId}, ${JSON.stringify(card)}::json, ${card.uri},
          ${sql.array(skillNames(card), 'text')},
          ${sql.array(card.capabilities.protocols, 'text')},
          'registered', ${discoveredFrom}, c.stamp, c.stamp
        from (select ${STAMP} as stamp offset 0) c
        on conflict (tenant_id, agent_id) do update
        set card = excluded.card,
          uri = excluded.uri,
          skills = excluded.skills,
          protocols = excluded.protocols,
          discovered_from = excluded.discovered_from,
          updated_at = excluded.updated_at
        where excluded.discovered_from is null
          or a.discovered_from = excluded.discovered_from
        returning ${agentColumns(heartbeatTimeoutMs)}
      ),
      audited as (${appendAuditEntry(
        {
          tenantId,
          executionId: null,
          eventType: 'agent_registered',
          actorId,
          payload: { agent_id: agentId, name: card.name, discovered_from: discoveredFrom },
        },
        sql.fragment`stored`,
      )})
      select * from stored`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : decodeAgent(row);
}

async function findAgent(
  management: Management,
  { tenantId, agentId, heartbeatTimeoutMs }: Parameters<AgentStore['find']>[0],
): ReturnType<AgentStore['find']> {
  const [row] = await management.any(
    sql.type(AgentRecord)`
    select ${agentColumns(heartbeatTimeoutMs)}
    from agents a
    where a.tenant_id = ${tenantId}
      and a.agent_id = ${agentId}`,
    { tenant: tenantId },
  );
  return row === undefined ? null : decodeAgent(row);
}

async function findDiscovered(
  management: Management,
  { tenantId, discoveredFrom }: Parameters<AgentStore['findDiscovered']>[0],
): ReturnType<AgentStore['findDiscovered']> {
  const [row] = await management.any(
    sql.type(IdRecord)`
    select a.agent_id
    from agents a
    where a.tenant_id = ${tenantId}
      and a.discovered_from = ${discoveredFrom}
    order by a.updated_at desc, a.agent_id desc
    limit 1`,
    { tenant: tenantId },
  );
  return row === undefined ? null : { agentId: row.agent_id };
}

async function listAgents(
  management: Management,
  { after = null, limit, offset, ...filter }: Parameters<AgentStore['list']>[0],
): ReturnType<AgentStore['list']> {
  const { tenantId, heartbeatTimeoutMs } = filter;
  const rows = await management.any(
    sql.type(AgentRecord)`
    select ${agentColumns(heartbeatTimeoutMs)}
    from agents a
    where ${matches(filter)}
      and (
        ${after?.agentId ?? null}::text is null
        or (a.registered_at, a.agent_id)
          < (${after?.registeredAt ?? null}::timestamptz, ${after?.agentId ?? null}::text)
      )
    order by a.registered_at desc, a.agent_id desc
    limit ${limit}
    offset ${offset}`,
    { tenant: tenantId },
  );
  return rows.map(decodeAgent);
}

async function countAgents(
  management: Management,
  filter: Parameters<AgentStore['count']>[0],
): ReturnType<AgentStore['count']> {
  const [row] = await management.any(
    sql.type(NumberRecord)`
    select count(*)::int as count
    from agents a
    where ${matches(filter)}`,
    { tenant: filter.tenantId },
  );
  return row?.count ?? 0;
}

async function listActive(
  management: Management,
  { tenantId, heartbeatTimeoutMs, limit }: Parameters<AgentStore['listActive']>[0],
): ReturnType<AgentStore['listActive']> {
  const rows = await management.any(
    sql.type(AddressRecord)`
    select a.agent_id, a.uri
    from agents a
    where a.tenant_id = ${tenantId}
      and ${shownStatus(heartbeatTimeoutMs)} = 'active'
    order by a.registered_at, a.agent_id
    limit ${limit}`,
    { tenant: tenantId },
  );
  return rows.map((row) => ({ agentId: row.agent_id, uri: row.uri }));
}

async function activateAgent(
  management: Management,
  { tenantId, agentId, heartbeatTimeoutMs, actorId }: Parameters<AgentStore['activate']>[0],
): ReturnType<AgentStore['activate']> {
  const [row] = await management.any(
    sql.type(AgentRecord)`
      with changed as (
        update agents a
        set status = 'active',
          heard_at = case when a.last_heartbeat is not null then ${STAMP} end,
          updated_at = ${STAMP}
        where a.tenant_id = ${tenantId}
          and a.agent_id = ${agentId}
        returning ${agentColumns(heartbeatTimeoutMs)}
      ),
      audited as (${auditOf('agent_activated', { tenantId, agentId, actorId })})
      select * from changed`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : decodeAgent(row);
}

async function deactivateAgent(
  management: Management,
  { tenantId, agentId, heartbeatTimeoutMs, actorId }: Parameters<AgentStore['deactivate']>[0],
): ReturnType<AgentStore['deactivate']> {
  const [row] = await management.any(
    sql.type(AgentRecord)`
      with changed as (
        update agents a
        set status = 'deactivated',
          updated_at = ${STAMP}
        where a.tenant_id = ${tenantId}
          and a.agent_id = ${agentId}
        returning ${agentColumns(heartbeatTimeoutMs)}
      ),
      audited as (${auditOf('agent_deactivated', { tenantId, agentId, actorId })})
      select * from changed`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : decodeAgent(row);
}

function auditOf(
  eventType: string,
  agent: { readonly tenantId: TenantId; readonly agentId: string; readonly actorId: string },
) {
  const { tenantId, agentId, actorId } = agent;
  const payload = { agent_id: agentId };
  return appendAuditEntry(
    { tenantId, executionId: null, eventType, actorId, payload },
    sql.fragment`changed`,
  );
}

function matches({ tenantId, status, skill, protocol, heartbeatTimeoutMs }: CountAgents) {
  return sql.fragment`a.tenant_id = ${tenantId}
          and (${status}::text is null or ${shownStatus(heartbeatTimeoutMs)} = ${status})
          and (${skill}::text is null or ${skill} = any(a.skills))
          and (${protocol}::text is null or ${protocol} = any(a.protocols))`;
}
