import { skillNames, type AgentCard, type AgentStatus } from '../../../domain/agents/agent-card.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { AgentRef, AgentRow, AgentStore, CountAgents, NewAgent } from '../../agents.ts';
import { appendAudit } from '../audit/append.ts';
import type { NamedBindings, Connection } from '../connection/connect.ts';
import { toIso, toIsoOrNull } from '../rows.ts';

export function createAgentStore(connection: Connection): AgentStore {
  return {
    register: (agent) => connection.write(() => registerAgent(connection, agent)),
    find: (agent) => connection.read(() => findAgent(connection, agent)),
    findDiscovered: (params) => connection.read(() => findDiscovered(connection, params)),
    list: (params) => connection.read(() => listAgents(connection, params)),
    count: (params) => connection.read(() => countAgents(connection, params)),
    listActive: (params) => connection.read(() => listActive(connection, params)),
    activate: (agent) =>
      connection.write(() =>
        audited(connection, changeAgent(connection, agent, ACTIVATE), {
          eventType: 'agent_activated',
          actorId: agent.actorId,
        }),
      ),
    deactivate: (agent) =>
      connection.write(() =>
        audited(connection, changeAgent(connection, agent, DEACTIVATE), {
          eventType: 'agent_deactivated',
          actorId: agent.actorId,
        }),
      ),
    heartbeat: (agent) => connection.write(() => hearAgent(connection, agent)),
    pauseSilent: (params) => connection.write(() => pauseSilent(connection, params)),
  };
}

const SHOWN_STATUS = `
  case when status = 'active' and heard_at <= :silent_since then 'paused' else status end`;

const AGENT_COLUMNS = `
  tenant_id, agent_id, card, ${SHOWN_STATUS} as status, discovered_from, registered_at,
  updated_at, last_heartbeat`;

const ACTIVATE = `
  update agents
  set status = 'active',
      heard_at = case when last_heartbeat is not null then :now end,
      updated_at = :now
  where tenant_id = :tenant_id and agent_id = :agent_id
  returning ${AGENT_COLUMNS}`;

const DEACTIVATE = `
  update agents
  set status = 'deactivated',
      updated_at = :now
  where tenant_id = :tenant_id and agent_id = :agent_id
  returning ${AGENT_COLUMNS}`;

const HEARTBEAT = `
  update agents
  set status = case when status = 'paused' then 'active' else status end,
      updated_at = case when ${SHOWN_STATUS} = 'paused' then :now else updated_at end,
      last_heartbeat = :now,
      heard_at = :now
  where tenant_id = :tenant_id and agent_id = :agent_id and status <> 'deactivated'
  returning ${AGENT_COLUMNS}`;

interface RawAgent {
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly card: string;
  readonly status: AgentStatus;
  readonly discovered_from: string | null;
  readonly registered_at: number;
  readonly updated_at: number;
  readonly last_heartbeat: number | null;
}

function registerAgent(connection: Connection, agent: NewAgent): AgentRow | null {
  const { card, discoveredFrom } = agent;
  const row = connection.get<RawAgent>(
    `insert into agents (
       tenant_id, agent_id, card, uri, skills, protocols, status, discovered_from,
       registered_at, updated_at
     )
     values (
       :tenant_id, :agent_id, :card, :uri, :skills, :protocols, 'registered', :discovered_from,
       :now, :now
     )
     on conflict (tenant_id, agent_id) do update
     set card = excluded.card,
         uri = excluded.uri,
         skills = excluded.skills,
         protocols = excluded.protocols,
         discovered_from = excluded.discovered_from,
         updated_at = excluded.updated_at
     where excluded.discovered_from is null
       or agents.discovered_from = excluded.discovered_from
     returning ${AGENT_COLUMNS}`,
    {
      ...bindRef(connection, agent),
      card: JSON.stringify(card),
      uri: card.uri,
      skills: JSON.stringify(skillNames(card)),
      protocols: JSON.stringify(card.capabilities.protocols),
      discovered_from: discoveredFrom,
    },
  );
  if (row === undefined) return null;
  appendAudit(connection, {
    tenantId: agent.tenantId,
    executionId: null,
    eventType: 'agent_registered',
    actorId: agent.actorId,
    payload: { agent_id: agent.agentId, name: card.name, discovered_from: discoveredFrom },
  });
  return toAgent(row);
}

function findAgent(connection: Connection, agent: AgentRef): AgentRow | null {
  const { now: _, ...bindings } = bindRef(connection, agent);
  const row = connection.get<RawAgent>(
    `select ${AGENT_COLUMNS}
     from agents
     where tenant_id = :tenant_id and agent_id = :agent_id`,
    bindings,
  );
  return row === undefined ? null : toAgent(row);
}

function findDiscovered(
  connection: Connection,
  params: Parameters<AgentStore['findDiscovered']>[0],
): { readonly agentId: string } | null {
  const row = connection.get<{ readonly agent_id: string }>(
    `select agent_id
     from agents
     where tenant_id = :tenant_id and discovered_from = :discovered_from
     order by updated_at desc, agent_id desc
     limit 1`,
    { tenant_id: params.tenantId, discovered_from: params.discoveredFrom },
  );
  return row === undefined ? null : { agentId: row.agent_id };
}

function listAgents(
  connection: Connection,
  params: Parameters<AgentStore['list']>[0],
): readonly AgentRow[] {
  return connection
    .all<RawAgent>(
      `select ${AGENT_COLUMNS}
       from agents
       where ${MATCHES}
         and (:after_id is null or (registered_at, agent_id) < (:after_at, :after_id))
       order by registered_at desc, agent_id desc
       limit :limit offset :offset`,
      {
        ...bindFilter(connection, params),
        after_at: params.after ? Date.parse(params.after.registeredAt) : null,
        after_id: params.after?.agentId ?? null,
        limit: params.limit,
        offset: params.offset,
      },
    )
    .map(toAgent);
}

function countAgents(connection: Connection, params: CountAgents): number {
  const row = connection.get<{ readonly count: number }>(
    `select count(*) as count
     from agents
     where ${MATCHES}`,
    bindFilter(connection, params),
  );
  return row?.count ?? 0;
}

const MATCHES = `
  tenant_id = :tenant_id
  and (:status is null or ${SHOWN_STATUS} = :status)
  and (:skill is null or exists (select 1 from json_each(skills) where value = :skill))
  and (:protocol is null or exists (select 1 from json_each(protocols) where value = :protocol))`;

function bindFilter(connection: Connection, params: CountAgents) {
  return {
    tenant_id: params.tenantId,
    status: params.status,
    skill: params.skill,
    protocol: params.protocol,
    silent_since: connection.now() - params.heartbeatTimeoutMs,
  };
}

function listActive(
  connection: Connection,
  params: Parameters<AgentStore['listActive']>[0],
): Awaited<ReturnType<AgentStore['listActive']>> {
  return connection
    .all<{ readonly agent_id: string; readonly uri: string | null }>(
      `select agent_id, uri
       from agents
       where tenant_id = :tenant_id and ${SHOWN_STATUS} = 'active'
       order by registered_at, agent_id
       limit :limit`,
      {
        tenant_id: params.tenantId,
        silent_since: connection.now() - params.heartbeatTimeoutMs,
        limit: params.limit,
      },
    )
    .map((row) => ({ agentId: row.agent_id, uri: row.uri }));
}

function changeAgent(connection: Connection, agent: AgentRef, update: string): AgentRow | null {
  const row = connection.get<RawAgent>(update, bindRef(connection, agent));
  return row === undefined ? null : toAgent(row);
}

function audited(
  connection: Connection,
  row: AgentRow | null,
  what: { readonly eventType: string; readonly actorId: string },
): AgentRow | null {
  if (row === null) return null;
  const { tenantId, agentId } = row;
  const payload = { agent_id: agentId };
  appendAudit(connection, { ...what, tenantId, executionId: null, payload });
  return row;
}

/** A deactivated agent gets no writes. */
function hearAgent(connection: Connection, agent: AgentRef): AgentRow | null {
  const before = findAgent(connection, agent);
  const after = changeAgent(connection, agent, HEARTBEAT);
  if (after === null || before?.status !== 'paused') return after ?? before;
  return audited(connection, after, {
    eventType: 'agent_resumed',
    actorId: `agent:${agent.agentId}`,
  });
}

function pauseSilent(
  connection: Connection,
  params: Parameters<AgentStore['pauseSilent']>[0],
): number {
  const now = connection.now();
  const paused = connection.all<{ readonly tenant_id: string; readonly agent_id: string }>(
    `update agents
     set status = 'paused',
         updated_at = :now
     where (tenant_id, agent_id) in (
       select tenant_id, agent_id
       from agents
       where status = 'active' and heard_at <= :silent_since
       order by heard_at
       limit :limit
     )
     returning tenant_id, agent_id`,
    { now, silent_since: now - params.heartbeatTimeoutMs, limit: params.limit },
  );
  for (const { tenant_id: tenantId, agent_id } of paused) {
    appendAudit(connection, {
      tenantId: tenantId as TenantId,
      executionId: null,
      eventType: 'agent_paused',
      actorId: 'system:scheduler',
      payload: { agent_id },
    });
  }
  return paused.length;
}

function bindRef(connection: Connection, agent: AgentRef): NamedBindings {
  const now = connection.now();
  return {
    tenant_id: agent.tenantId,
    agent_id: agent.agentId,
    now,
    silent_since: now - agent.heartbeatTimeoutMs,
  };
}

function toAgent(row: RawAgent): AgentRow {
  return {
    tenantId: row.tenant_id as TenantId,
    agentId: row.agent_id,
    card: JSON.parse(row.card) as AgentCard,
    status: row.status,
    discoveredFrom: row.discovered_from,
    registeredAt: toIso(row.registered_at),
    updatedAt: toIso(row.updated_at),
    lastHeartbeat: toIsoOrNull(row.last_heartbeat),
  };
}
