import type { TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { hashEndUser } from '../../../domain/memory/end-user.ts';
import type { Fact } from '../../../domain/memory/fact.ts';
import type { Forgetting, MemoryStore, NewFact } from '../../memory.ts';
import { appendAudit } from '../audit/append.ts';
import type { NamedBindings, Connection } from '../connection/connect.ts';
import { readCounts, withoutPlace, writeCounts } from './usage.ts';
import { toIso } from '../rows.ts';

export function createFacts(
  connection: Connection,
): Pick<
  MemoryStore,
  'findByIngestionKey' | 'add' | 'list' | 'forgetFact' | 'forgetUser' | 'readFacts'
> {
  return {
    findByIngestionKey: (params) => connection.read(() => findByIngestionKey(connection, params)),
    add: (fact) => connection.write(() => add(connection, fact)),
    list: (params) => connection.read(() => list(connection, params)),
    forgetFact: (params) =>
      connection.write(() => {
        const { tenantId, factId, reason, actorId } = params;
        const count = forget(connection, params, { where: 'fact_id = :meant', meant: factId });
        if (count > 0) {
          appendAudit(connection, {
            tenantId,
            executionId: null,
            eventType: 'memory_fact_forgotten',
            actorId,
            payload: { fact_id: factId, reason },
          });
        }
        return count;
      }),
    forgetUser: (params) =>
      connection.write(() => {
        const { tenantId, endUserId, reason, actorId, auditId } = params;
        const count = forget(connection, params, {
          where: 'end_user_id = :meant',
          meant: endUserId,
        });
        appendAudit(connection, {
          auditId,
          executionId: null,
          tenantId,
          eventType: 'memory_user_forgotten',
          actorId,
          payload: { end_user_hash: hashEndUser(tenantId, endUserId), reason, count },
        });
        return count;
      }),
    readFacts: (params) => connection.read(() => readFacts(connection, params)),
  };
}

const COLUMNS = 'fact_id, ordinal, agent_id, end_user_id, content, metadata, created_at';

interface FactRecord {
  readonly fact_id: string;
  readonly ordinal: number;
  readonly agent_id: string | null;
  readonly end_user_id: string | null;
  readonly content: string;
  readonly metadata: string;
  readonly created_at: number;
}

function findByIngestionKey(
  connection: Connection,
  params: { readonly tenantId: TenantId; readonly ingestionKey: string },
): Fact | null {
  const row = connection.get<FactRecord>(
    `select ${COLUMNS}
     from memory_facts
     where tenant_id = :tenant_id
       and ingestion_key = :ingestion_key
       and forgotten_at is null`,
    { tenant_id: params.tenantId, ingestion_key: params.ingestionKey },
  );
  return row === undefined ? null : decodeFact(row);
}

function add(connection: Connection, fact: NewFact): Fact | null {
  const { tenantId, ingestionKey, reservationId } = fact;
  const known =
    ingestionKey === null ? null : findByIngestionKey(connection, { tenantId, ingestionKey });
  if (known !== null) return known;
  const counts = readCounts(connection, tenantId);
  const isHeld = Object.hasOwn(counts.held, reservationId);
  if (!isHeld && counts.added + Object.keys(counts.held).length >= fact.quota) return null;
  const row: FactRecord = {
    fact_id: fact.factId,
    ordinal: counts.added + 1,
    agent_id: fact.agentId,
    end_user_id: fact.endUserId,
    content: fact.content,
    metadata: JSON.stringify(fact.metadata),
    created_at: Math.max(connection.now(), (counts.lastAddedAt ?? 0) + 1),
  };
  connection.run(
    `insert into memory_facts (
       ${COLUMNS}, tenant_id, change_seq, ingestion_key, sketch, embedding
     )
     values (
       :fact_id, :ordinal, :agent_id, :end_user_id, :content, :metadata, :created_at, :tenant_id,
       :change_seq, :ingestion_key, :sketch, :embedding
     )`,
    {
      ...row,
      tenant_id: tenantId,
      change_seq: counts.changeSeq + 1,
      ingestion_key: ingestionKey,
      sketch: fact.sketch,
      embedding: fact.embedding,
    },
  );
  writeCounts(connection, {
    ...counts,
    added: counts.added + 1,
    live: counts.live + 1,
    changeSeq: counts.changeSeq + 1,
    held: withoutPlace(counts.held, reservationId),
    lastAddedAt: row.created_at,
  });
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'memory_fact_added',
    actorId: fact.actorId,
    payload: { fact_id: fact.factId },
  });
  return decodeFact(row);
}

function list(connection: Connection, params: Parameters<MemoryStore['list']>[0]): readonly Fact[] {
  return connection
    .all<FactRecord>(
      `select ${COLUMNS}
       from memory_facts
       where tenant_id = :tenant_id
         and forgotten_at is null
         and created_at < :before
       order by created_at desc
       limit :limit`,
      {
        tenant_id: params.tenantId,
        before: params.before === null ? Number.MAX_SAFE_INTEGER : Date.parse(params.before),
        limit: params.limit,
      },
    )
    .map(decodeFact);
}

function forget(
  connection: Connection,
  params: Forgetting,
  meaning: { readonly where: string; readonly meant: string },
): number {
  const counts = readCounts(connection, params.tenantId);
  const bindings: NamedBindings = { tenant_id: params.tenantId, meant: meaning.meant };
  const forgotten = connection.run(
    `update memory_facts
     set forgotten_at = :now,
       forgotten_by = :actor_id,
       forget_reason = :reason,
       change_seq = :change_seq + meant.place
     from (
       select fact_id, row_number() over (order by ordinal) as place
       from memory_facts
       where tenant_id = :tenant_id
         and forgotten_at is null
         and ${meaning.where}
     ) as meant
     where memory_facts.fact_id = meant.fact_id`,
    {
      ...bindings,
      now: connection.now(),
      actor_id: params.actorId,
      reason: params.reason,
      change_seq: counts.changeSeq,
    },
  );
  if (forgotten > 0) {
    const { live, changeSeq } = counts;
    writeCounts(connection, {
      ...counts,
      live: live - forgotten,
      changeSeq: changeSeq + forgotten,
    });
  }
  return forgotten;
}

function readFacts(
  connection: Connection,
  params: Parameters<MemoryStore['readFacts']>[0],
): Awaited<ReturnType<MemoryStore['readFacts']>> {
  return connection
    .all<FactRecord>(
      `select ${COLUMNS}
       from memory_facts
       where tenant_id = :tenant_id
         and ordinal in (select value from json_each(:ordinals))
         and forgotten_at is null`,
      { tenant_id: params.tenantId, ordinals: JSON.stringify(params.ordinals) },
    )
    .map((row) => ({ ...decodeFact(row), ordinal: row.ordinal }));
}

function decodeFact(row: FactRecord): Fact {
  return {
    factId: row.fact_id,
    agentId: row.agent_id,
    endUserId: row.end_user_id,
    content: row.content,
    metadata: JSON.parse(row.metadata) as JsonObject,
    createdAt: toIso(row.created_at),
  };
}
