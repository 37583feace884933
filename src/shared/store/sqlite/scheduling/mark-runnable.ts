import type { ExecutionId } from '../../../domain/ids.ts';
import type { Connection } from '../connection/connect.ts';

/** An older mark stays: the execution keeps its place. */
export function markRunnable(
  connection: Connection,
  {
    executionId,
    shard,
    bucketKey = null,
  }: {
    readonly executionId: ExecutionId;
    readonly shard: number;
    /** The bucket of the token that it begins with; absent: it has none. */
    readonly bucketKey?: string | null;
  },
): void {
  connection.run(
    `insert into runnable (execution_id, shard, bucket_key, admitted_at)
     values (:id, :shard, :bucket_key, :admitted_at)
     on conflict (execution_id) do update
       set bucket_key = excluded.bucket_key,
         admitted_at = excluded.admitted_at
       where excluded.bucket_key is not null`,
    {
      id: executionId,
      shard,
      bucket_key: bucketKey,
      admitted_at: bucketKey === null ? null : connection.now(),
    },
  );
}
