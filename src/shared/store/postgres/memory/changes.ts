import type { MemoryStore } from '../../memory.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

/** Reads for recalls: the changes of a scope, and whole vectors of a few facts. */
export function createFactChanges(
  pool: PostgresPool,
): Pick<MemoryStore, 'listChanges' | 'readVectors'> {
  return {
    async listChanges({ tenantId, scope, after, limit }) {
      const { agentId, endUserId } = scope;
      const values = [tenantId, agentId ?? '', endUserId ?? '', after, limit];
      const rows = await pool.run<ChangeRecord>(LIST_CHANGES, values);
      return rows.map(({ change_seq, ordinal, sketch }) => ({
        change: change_seq,
        ordinal,
        sketch: sketch === null ? null : decodeBytes(sketch),
      }));
    },

    async readVectors({ tenantId, ordinals }) {
      const rows = await pool.run<VectorRecord>(READ_VECTORS, [tenantId, ordinals]);
      return rows.map(({ ordinal, embedding }) => ({ ordinal, embedding: decodeBytes(embedding) }));
    },
  };
}

interface ChangeRecord {
  readonly change_seq: number;
  readonly ordinal: number;
  readonly sketch: string | null;
}

interface VectorRecord {
  readonly ordinal: number;
  readonly embedding: string;
}

/** `\x00ff…`, as the server writes bytes. */
function decodeBytes(text: string): Uint8Array {
  return Buffer.from(text.slice(2), 'hex');
}

const LIST_CHANGES: Statement = {
  name: 'list-fact-changes',
  writes: false,
  text: `
    select f.change_seq, f.ordinal, case when f.forgotten_at is null then f.sketch end as sketch
    from memory_facts f
    where f.tenant_id = $1
      and coalesce(f.agent_id, '') = $2
      and coalesce(f.end_user_id, '') = $3
      and f.change_seq > $4
      and (f.forgotten_at is null or $4 > 0)
    order by f.change_seq
    limit $5`,
};

const READ_VECTORS: Statement = {
  name: 'read-fact-vectors',
  writes: false,
  text: `
    select f.ordinal, f.embedding
    from memory_facts f
    where f.tenant_id = $1
      and f.ordinal = any($2::int8[])
      and f.forgotten_at is null`,
};
