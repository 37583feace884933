import type { ExecutionId } from '../../domain/ids.ts';
import type { RunnableStore } from '../store.ts';
import type { Connection } from './connect.ts';

export function createRunnableStore(connection: Connection): RunnableStore {
  return {
    list: ({ shards, limit }) =>
      connection.read(() =>
        connection.all<{ readonly executionId: ExecutionId; readonly shard: number }>(
          `select execution_id as executionId, shard
           from runnable
           where shard in (select value from json_each(:shards))
           order by seq
           limit :limit`,
          { shards: JSON.stringify(shards), limit },
        ),
      ),
  };
}
