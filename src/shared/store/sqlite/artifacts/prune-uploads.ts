import { UPLOAD_SILENCE_MS } from '../../artifacts.ts';
import { CHUNKS_AT_A_TIME } from '../../unused-artifacts.ts';
import type { Connection } from '../connection/connect.ts';

/** Deletes uploads that were given up; returns how many pieces that were. */
export async function pruneUploads(connection: Connection): Promise<number> {
  await connection.write(() =>
    connection.run(
      'update artifact_uploads set touched_at = 0 where touched_at <= :silent_since and touched_at > 0',
      { silent_since: connection.now() - UPLOAD_SILENCE_MS },
    ),
  );
  let total = 0;
  for (;;) {
    const pruned = await connection.write(() => pruneChunks(connection));
    total += pruned;
    if (pruned === 0) return total;
  }
}

/** Some of those that were given up, a bounded number of chunks; returns how many rows that were. */
export function pruneChunks(connection: Connection): number {
  const [upload] = connection.all<{ readonly upload_id: string }>(
    'select upload_id from artifact_uploads where touched_at = 0 limit 1',
  );
  if (upload === undefined) return 0;
  const chunks = connection.run(
    `delete from artifact_chunks
     where (upload_id, position) in (
       select c.upload_id, c.position
       from artifact_chunks as c
       where c.upload_id = :upload_id
       limit :limit
     )`,
    { upload_id: upload.upload_id, limit: CHUNKS_AT_A_TIME },
  );
  if (chunks === CHUNKS_AT_A_TIME) return chunks;
  return (
    chunks + connection.run('delete from artifact_uploads where upload_id = ?', [upload.upload_id])
  );
}
