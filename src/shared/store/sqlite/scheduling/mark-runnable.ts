import type { ExecutionId } from '../../../domain/ids.ts';
import type { Connection } from '../connection/connect.ts';

/** An older mark stays: the execution keeps its place. */
export function markRunnable(
  connection: Connection,
  { executionId, shard }: { readonly executionId: ExecutionId; readonly shard: number },
): void {
  connection.run(
    `insert into runnable (execution_id, shard)
     values (?, ?)
     on conflict (execution_id) do nothing`,
    [executionId, shard],
  );
}
