import { sql } from 'slonik';
import { z } from 'zod';

import type { AgentStore } from '../../agents.ts';
import { appendAuditOf } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';
import {
  agentColumns,
  AgentRecord,
  decodeAgent,
  shownStatus,
  silentSince,
  STAMP,
} from './agent-rows.ts';

const CountRecord = z.object({ paused: z.int() });

export async function hearAgent(
  management: Management,
  { tenantId, agentId, heartbeatTimeoutMs }: Parameters<AgentStore['heartbeat']>[0],
): ReturnType<AgentStore['heartbeat']> {
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
        returning ${agentColumns(heartbeatTimeoutMs)}
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
        select ${agentColumns(heartbeatTimeoutMs)}
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
}

export async function pauseSilent(
  management: Management,
  { heartbeatTimeoutMs, limit }: Parameters<AgentStore['pauseSilent']>[0],
): ReturnType<AgentStore['pauseSilent']> {
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
}
