import type { Checkpoint, CheckpointStore } from '../../readings/checkpoints.ts';
import type { Connection } from '../connection/connect.ts';

export function createCheckpointStore(connection: Connection): CheckpointStore {
  return {
    lastBefore: ({ executionId, tenantId, sequence }) =>
      connection.read(
        () =>
          connection.get<Checkpoint>(LAST_BEFORE, {
            execution_id: executionId,
            tenant_id: tenantId,
            sequence,
          }) ?? null,
      ),
    keep: ({ executionId, tenantId, sequence, body }) =>
      connection.write(
        () =>
          void connection.run(KEEP, {
            execution_id: executionId,
            tenant_id: tenantId,
            sequence,
            body,
          }),
      ),
  };
}

const LAST_BEFORE = `
  select sequence, body
  from checkpoints
  where execution_id = :execution_id
    and tenant_id = :tenant_id
    and sequence < :sequence
  order by sequence desc
  limit 1`;

const KEEP = `
  insert into checkpoints (execution_id, sequence, tenant_id, body)
  select e.id, :sequence, e.tenant_id, :body
  from executions e
  where e.id = :execution_id
    and e.tenant_id = :tenant_id
  on conflict (execution_id, sequence) do nothing`;
