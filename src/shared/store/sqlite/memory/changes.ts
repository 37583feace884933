import type { MemoryStore, StoredVector } from '../../memory.ts';
import type { Connection } from '../connection/connect.ts';

/** Reads for recalls: the changes of a scope, and whole vectors of a few facts. */
export function createFactChanges(
  connection: Connection,
): Pick<MemoryStore, 'listChanges' | 'readVectors'> {
  return {
    listChanges: ({ tenantId, scope, after, limit }) =>
      connection.read(() =>
        connection
          .all<ChangeRecord>(
            `select change_seq, ordinal, case when forgotten_at is null then sketch end as sketch
             from memory_facts
             where tenant_id = :tenant_id
               and coalesce(agent_id, '') = :agent_id
               and coalesce(end_user_id, '') = :end_user_id
               and change_seq > :after
               and (forgotten_at is null or :after > 0)
             order by change_seq
             limit :limit`,
            {
              tenant_id: tenantId,
              agent_id: scope.agentId ?? '',
              end_user_id: scope.endUserId ?? '',
              after,
              limit,
            },
          )
          .map(({ change_seq, ordinal, sketch }) => ({ change: change_seq, ordinal, sketch })),
      ),

    readVectors: ({ tenantId, ordinals }) =>
      connection.read(() =>
        connection.all<StoredVector>(
          `select ordinal, embedding
           from memory_facts
           where tenant_id = :tenant_id
             and ordinal in (select value from json_each(:ordinals))
             and forgotten_at is null`,
          { tenant_id: tenantId, ordinals: JSON.stringify(ordinals) },
        ),
      ),
  };
}

interface ChangeRecord {
  readonly change_seq: number;
  readonly ordinal: number;
  readonly sketch: Uint8Array | null;
}
