import type { ExecutionId } from '../../domain/ids.ts';
import { SHARD_COUNT } from '../../store/store.ts';

/** The shard of an execution: spread by the random tail of its id. */
export function shardOf(executionId: ExecutionId): number {
  return Number.parseInt(executionId.slice(-4), 16) % SHARD_COUNT;
}
