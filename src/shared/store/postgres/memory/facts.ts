import { hashEndUser } from '../../../domain/memory/end-user.ts';
import type { Fact } from '../../../domain/memory/fact.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { newAuditId } from '../../rows/audit-ids.ts';
import type { MemoryStore } from '../../memory.ts';
import { appendAudit } from '../audit/append.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { HELD } from './usage.ts';

export function createFacts(
  pool: PostgresPool,
): Pick<
  MemoryStore,
  'findByIngestionKey' | 'add' | 'list' | 'forgetFact' | 'forgetUser' | 'readFacts'
> {
  return {
    async findByIngestionKey({ tenantId, ingestionKey }) {
      const [row] = await pool.run<FactRecord>(FIND_BY_KEY, [tenantId, ingestionKey]);
      return row === undefined ? null : decodeFact(row);
    },

    async add(fact) {
      const [row] = await pool.run<FactRecord>(ADD, [
        fact.tenantId,
        fact.reservationId,
        fact.quota,
        fact.factId,
        fact.agentId,
        fact.endUserId,
        fact.content,
        JSON.stringify(fact.metadata),
        fact.ingestionKey,
        fact.embedding,
        fact.sketch,
        newAuditId(),
        fact.actorId,
      ]);
      return row === undefined ? null : decodeFact(row);
    },

    async list({ tenantId, before, limit }) {
      const rows = await pool.run<FactRecord>(LIST, [tenantId, before ?? 'infinity', limit]);
      return rows.map(decodeFact);
    },

    async forgetFact({ tenantId, factId, reason, actorId }) {
      const values = [tenantId, factId, reason, actorId, newAuditId()];
      return countOf(await pool.run<CountRecord>(FORGET_FACT, values));
    },

    async forgetUser({ tenantId, endUserId, reason, actorId, auditId }) {
      const hash = hashEndUser(tenantId, endUserId);
      const values = [tenantId, endUserId, reason, actorId, auditId, hash];
      return countOf(await pool.run<CountRecord>(FORGET_USER, values));
    },

    async readFacts({ tenantId, ordinals }) {
      const rows = await pool.run<FactRecord>(READ_FACTS, [tenantId, ordinals]);
      return rows.map((row) => ({ ...decodeFact(row), ordinal: row.ordinal }));
    },
  };
}

interface FactRecord {
  readonly fact_id: string;
  readonly ordinal: number;
  readonly agent_id: string | null;
  readonly end_user_id: string | null;
  readonly content: string;
  readonly metadata: string;
  readonly created_at: string;
}

interface CountRecord {
  readonly forgotten: number;
}

function decodeFact(row: FactRecord): Fact {
  return {
    factId: row.fact_id,
    agentId: row.agent_id,
    endUserId: row.end_user_id,
    content: row.content,
    metadata: JSON.parse(row.metadata) as JsonObject,
    createdAt: row.created_at,
  };
}

function countOf(rows: readonly CountRecord[]): number {
  return rows[0]?.forgotten ?? 0;
}

const COLUMNS = `
  f.fact_id, f.ordinal, f.agent_id, f.end_user_id, f.content, f.metadata, f.created_at`;

const FIND_BY_KEY: Statement = {
  name: 'find-fact-by-ingestion-key',
  writes: false,
  text: `
    select ${COLUMNS}
    from memory_facts f
    where f.tenant_id = $1
      and f.ingestion_key = $2
      and f.forgotten_at is null`,
};

/**
 * A fact of the same key that was committed after this statement began is not seen, but the insert
 * meets it: then the statement is undone, sent again, and sees it.
 */
const ADD: Statement = {
  name: 'add-fact',
  writes: true,
  text: `
    with known as materialized (
      select ${COLUMNS}
      from memory_facts f
      where f.tenant_id = $1
        and f.ingestion_key = $9
        and f.forgotten_at is null
    ),
    counted as (
      update memory_usage u
      set added = u.added + 1,
        live = u.live + 1,
        change_seq = u.change_seq + 1,
        reservations = u.reservations - $2::text,
        last_added_at = greatest(
          date_trunc('milliseconds', clock_timestamp()),
          u.last_added_at + interval '1 millisecond'
        )
      where u.tenant_id = $1
        and not exists (select 1 from known)
        and (
          jsonb_exists(u.reservations, $2)
          or u.added + (select count(*) from ${HELD}) < $3::int8
        )
      returning u.added, u.change_seq, u.last_added_at
    ),
    inserted as (
      insert into memory_facts as f (
        fact_id, tenant_id, ordinal, change_seq, agent_id, end_user_id, content, metadata,
        ingestion_key, embedding, sketch, created_at
      )
      select $4::uuid, $1, c.added, c.change_seq, $5, $6, $7, $8::json, $9, $10, $11,
        c.last_added_at
      from counted c
      on conflict (tenant_id, ingestion_key)
        where forgotten_at is null and ingestion_key is not null
        do nothing
      returning ${COLUMNS}
    ),
    audited as (${appendAudit({
      auditId: '$12::uuid',
      tenantId: '$1',
      eventType: `'memory_fact_added'`,
      actorId: '$13::text',
      payload: `json_build_object('fact_id', f.fact_id)`,
      from: 'inserted f',
    })}),
    overtaken as (
      select fail_as_serialization()
      where exists (select 1 from counted)
        and not exists (select 1 from inserted)
    )
    select ${COLUMNS}
    from inserted f
    where not exists (select 1 from overtaken)
    union all
    select ${COLUMNS}
    from known f
    where not exists (select 1 from overtaken)`,
};

const LIST: Statement = {
  name: 'list-facts',
  writes: false,
  text: `
    select ${COLUMNS}
    from memory_facts f
    where f.tenant_id = $1
      and f.forgotten_at is null
      and f.created_at < $2::timestamptz
    order by f.created_at desc
    limit $3`,
};

/** The row of counts first: its change numbers are this transaction's until it ends. */
function forget(condition: string): string {
  return `
    with held as materialized (
      select u.change_seq
      from memory_usage u
      where u.tenant_id = $1
      for update
    ),
    meant as materialized (
      select f.fact_id, h.change_seq + row_number() over (order by f.ordinal) as change_seq
      from held h
      cross join memory_facts f
      where f.tenant_id = $1
        and f.forgotten_at is null
        and ${condition}
    ),
    gone as (
      update memory_facts f
      set forgotten_at = date_trunc('milliseconds', clock_timestamp()),
        forgotten_by = $4,
        forget_reason = $3,
        change_seq = m.change_seq
      from meant m
      where f.fact_id = m.fact_id
        and f.forgotten_at is null
      returning f.fact_id
    ),
    counted as (
      update memory_usage u
      set live = u.live - (select count(*) from gone),
        change_seq = u.change_seq + (select count(*) from meant)
      where u.tenant_id = $1
        and exists (select 1 from meant)
      returning u.tenant_id
    ),
    total as materialized (
      select count(*) as forgotten
      from gone
    )`;
}

const FORGET_FACT: Statement = {
  name: 'forget-fact',
  writes: true,
  text: `${forget('f.fact_id = $2::uuid')},
    audited as (${appendAudit({
      auditId: '$5::uuid',
      tenantId: '$1',
      eventType: `'memory_fact_forgotten'`,
      actorId: '$4',
      payload: `json_build_object('fact_id', g.fact_id, 'reason', $3::text)`,
      from: 'gone g',
    })})
    select t.forgotten
    from total t`,
};

const FORGET_USER: Statement = {
  name: 'forget-user',
  writes: true,
  text: `${forget('f.end_user_id = $2')},
    audited as (${appendAudit({
      auditId: '$5::uuid',
      tenantId: '$1',
      eventType: "'memory_user_forgotten'",
      actorId: '$4',
      payload: `json_build_object('end_user_hash', $6::text, 'reason', $3::text, 'count', t.forgotten)`,
      from: 'total t',
    })}
    )
    select t.forgotten
    from total t`,
};

const READ_FACTS: Statement = {
  name: 'read-facts',
  writes: false,
  text: `
    select ${COLUMNS}
    from memory_facts f
    where f.tenant_id = $1
      and f.ordinal = any($2::int8[])
      and f.forgotten_at is null`,
};
