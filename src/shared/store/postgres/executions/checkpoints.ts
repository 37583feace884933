import type { Checkpoint, CheckpointStore } from '../../readings/checkpoints.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { toUuid } from '../rows.ts';

export function createCheckpointStore(readers: PostgresPool): CheckpointStore {
  return {
    async lastBefore({ executionId, tenantId, sequence }) {
      const values = [toUuid(executionId), tenantId, sequence];
      const [row = null] = await readers.run<Checkpoint>(LAST_BEFORE, values, tenantId);
      return row;
    },
    async keep({ executionId, tenantId, sequence, body }) {
      await readers.run(KEEP, [toUuid(executionId), tenantId, sequence, body], tenantId);
    },
  };
}

const LAST_BEFORE: Statement = {
  name: 'last-checkpoint-before',
  writes: false,
  text: `
    select c.sequence, c.body
    from checkpoints c
    where c.execution_id = $1
      and c.tenant_id = $2
      and c.sequence < $3
    order by c.sequence desc
    limit 1`,
};

/** The lock lets no removal of the execution pass in between, which would leave the checkpoint. */
const KEEP: Statement = {
  name: 'keep-checkpoint',
  writes: true,
  text: `
    with execution as materialized (
      select e.id, e.tenant_id
      from executions e
      where e.id = $1
        and e.tenant_id = $2
      for key share
    )
    insert into checkpoints (execution_id, sequence, tenant_id, body)
    select e.id, $3, e.tenant_id, $4
    from execution e
    on conflict (execution_id, sequence) do nothing`,
};
