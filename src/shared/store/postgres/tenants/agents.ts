import { sql } from 'slonik';
import { z } from 'zod';

import { AGENT_STATUSES, skillNames, type AgentCard } from '../../../domain/agents/agent-card.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { AgentRow, AgentStore, CountAgents } from '../../agents.ts';
import { appendAuditEntry, appendAuditOf } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';

const AgentRecord = z.object({
  tenant_id: z.string(),
  agent_id: z.string(),
  card: z.string(),
  status: z.enum(AGENT_STATUSES),
  discovered_from: z.string().nullable(),
  registered_at: z.string(),
  updated_at: z.string(),
  last_heartbeat: z.string().nullable(),
});

const AddressRecord = z.object({ agent_id: z.string(), uri: z.string().nullable() });
const IdRecord = z.object({ agent_id: z.string() });
const CountRecord = z.object({ paused: z.int() });

/** `now()` would be the start of a transaction; milliseconds are what is shown. */
const STAMP = sql.fragment`date_trunc('milliseconds', clock_timestamp())`;

const NumberRecord = z.object({ count: z.number() });

export function createAgentStore(management: Management): AgentStore {
  return {
    async register({ tenantId, agentId, card, discoveredFrom, heartbeatTimeoutMs, actorId }) {
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
            returning ${columns(heartbeatTimeoutMs)}
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
    },

    async find({ tenantId, agentId, heartbeatTimeoutMs }) {
      const [row] = await management.any(
        sql.type(AgentRecord)`
        select ${columns(heartbeatTimeoutMs)}
        from agents a
        where a.tenant_id = ${tenantId}
          and a.agent_id = ${agentId}`,
        { tenant: tenantId },
      );
      return row === undefined ? null : decodeAgent(row);
    },

    async findDiscovered({ tenantId, discoveredFrom }) {
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
    },

    async list({ after = null, limit, offset, ...filter }) {
      const { tenantId, heartbeatTimeoutMs } = filter;
      const rows = await management.any(
        sql.type(AgentRecord)`
        select ${columns(heartbeatTimeoutMs)}
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
    },

    async count(filter) {
      const [row] = await management.any(
        sql.type(NumberRecord)`
        select count(*)::int as count
        from agents a
        where ${matches(filter)}`,
        { tenant: filter.tenantId },
      );
      return row?.count ?? 0;
    },

    async listActive({ tenantId, heartbeatTimeoutMs, limit }) {
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
    },

    async activate({ tenantId, agentId, heartbeatTimeoutMs, actorId }) {
      const [row] = await management.any(
        sql.type(AgentRecord)`
          with changed as (
            update agents a
            set status = 'active',
              heard_at = case when a.last_heartbeat is not null then ${STAMP} end,
              updated_at = ${STAMP}
            where a.tenant_id = ${tenantId}
              and a.agent_id = ${agentId}
            returning ${columns(heartbeatTimeoutMs)}
          ),
          audited as (${auditOf('agent_activated', { tenantId, agentId, actorId })})
          select * from changed`,
        { writes: true, tenant: tenantId },
      );
      return row === undefined ? null : decodeAgent(row);
    },

    async deactivate({ tenantId, agentId, heartbeatTimeoutMs, actorId }) {
      const [row] = await management.any(
        sql.type(AgentRecord)`
          with changed as (
            update agents a
            set status = 'deactivated',
              updated_at = ${STAMP}
            where a.tenant_id = ${tenantId}
              and a.agent_id = ${agentId}
            returning ${columns(heartbeatTimeoutMs)}
          ),
          audited as (${auditOf('agent_deactivated', { tenantId, agentId, actorId })})
          select * from changed`,
        { writes: true, tenant: tenantId },
      );
      return row === undefined ? null : decodeAgent(row);
    },

    async heartbeat({ tenantId, agentId, heartbeatTimeoutMs }) {
      const [row] = await management.any(
        sql.type(AgentRecord)`
          with was as materialized (
            select ${shownStatus(heartbeatTimeoutMs)} as status
            from agents a
            where a.tenant_id = ${tenantId}
              and a.agent_id = ${agentId}
            for update
          ),
          beat as (
            update agents a
            set status = case when a.status = 'paused' then 'active' else a.status end,
              updated_at = case
                when ${shownStatus(heartbeatTimeoutMs)} = 'paused' then ${STAMP}
                else a.updated_at
              end,
              last_heartbeat = ${STAMP},
              heard_at = ${STAMP}
            where a.tenant_id = ${tenantId}
              and a.agent_id = ${agentId}
              and a.status <> 'deactivated'
              and (select count(*) from was) > 0
            returning ${columns(heartbeatTimeoutMs)}
          ),
          audited as (${appendAuditOf(
            {
              tenantId,
              executionId: null,
              eventType: 'agent_resumed',
              actorId: `agent:${agentId}`,
            },
            {
              payload: sql.fragment`json_build_object('agent_id', ${agentId}::text)`,
              from: sql.fragment`was w where w.status = 'paused' and exists (select from beat)`,
            },
          )}),
          deaf as (
            select ${columns(heartbeatTimeoutMs)}
            from agents a
            where a.tenant_id = ${tenantId}
              and a.agent_id = ${agentId}
              and not exists (select from beat)
          )
          select * from beat
          union all
          select * from deaf`,
        { writes: true, tenant: tenantId },
      );
      return row === undefined ? null : decodeAgent(row);
    },

    async pauseSilent({ heartbeatTimeoutMs, limit }) {
      const [row] = await management.any(
        sql.type(CountRecord)`
          with silent as materialized (
            select a.tenant_id, a.agent_id
            from agents a
            where a.status = 'active'
              and a.heard_at <= ${silentSince(heartbeatTimeoutMs)}
            order by a.heard_at
            limit ${limit}
            for update skip locked
          ),
          paused as (
            update agents a
            set status = 'paused',
              updated_at = ${STAMP}
            from silent s
            where a.tenant_id = s.tenant_id
              and a.agent_id = s.agent_id
            returning a.tenant_id, a.agent_id
          ),
          audited as (
            insert into audit_log (
              audit_id, tenant_id, event_type, actor_id, payload, created_at
            )
            select gen_random_uuid(), p.tenant_id, 'agent_paused', 'system:scheduler',
              json_build_object('agent_id', p.agent_id), audit_stamp()
            from paused p
          )
          select count(*) as paused from paused`,
        { writes: true },
      );
      return row?.paused ?? 0;
    },
  };
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

function columns(heartbeatTimeoutMs: number) {
  return sql.fragment`
    a.tenant_id, a.agent_id, a.card, ${shownStatus(heartbeatTimeoutMs)} as status,
    a.discovered_from, a.registered_at, a.updated_at, a.last_heartbeat`;
}

function shownStatus(heartbeatTimeoutMs: number) {
  return sql.fragment`
    case
      when a.status = 'active' and a.heard_at <= ${silentSince(heartbeatTimeoutMs)} then 'paused'
      else a.status
    end`;
}

function silentSince(heartbeatTimeoutMs: number) {
  return sql.fragment`clock_timestamp() - ${heartbeatTimeoutMs}::int8 * interval '1 millisecond'`;
}

function decodeAgent(row: z.infer<typeof AgentRecord>): AgentRow {
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

function matches({ tenantId, status, skill, protocol, heartbeatTimeoutMs }: CountAgents) {
  return sql.fragment`a.tenant_id = ${tenantId}
          and (${status}::text is null or ${shownStatus(heartbeatTimeoutMs)} = ${status})
          and (${skill}::text is null or ${skill} = any(a.skills))
          and (${protocol}::text is null or ${protocol} = any(a.protocols))`;
}
