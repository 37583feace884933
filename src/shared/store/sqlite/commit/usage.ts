import { type DefinitionId, type ExecutionId } from '../../../domain/ids.ts';
import type { ModelUse } from '../../commit.ts';
import type { UsageRow } from '../../executions.ts';
import type { Connection } from '../connection/connect.ts';

const CHAIN = `
  with recursive chain (id, parent_execution_id, definition_id, tenant_id, place) as (
    select id, parent_execution_id, definition_id, tenant_id, 0
    from executions
    where id = :id
    union all
    select e.id, e.parent_execution_id, e.definition_id, e.tenant_id, c.place + 1
    from chain c
    join executions e on e.id = c.parent_execution_id
  )`;

/** Counts the model usage of an execution for itself and all its ancestors. */
export function chargeUsage(connection: Connection, id: ExecutionId, use: ModelUse): void {
  const chain = connection.all<{ readonly id: string; readonly tenant_id: string }>(
    `${CHAIN} select id, tenant_id from chain`,
    { id },
  );
  for (const execution of chain) {
    connection.run(
      `insert into execution_usage (
         execution_id, tenant_id, input_tokens, output_tokens, cost_usd
       )
       values (:id, :tenant_id, :input_tokens, :output_tokens, :cost_usd)
       on conflict (execution_id) do update
       set input_tokens = input_tokens + excluded.input_tokens,
           output_tokens = output_tokens + excluded.output_tokens,
           cost_usd = cost_usd + excluded.cost_usd`,
      {
        id: execution.id,
        tenant_id: execution.tenant_id,
        input_tokens: use.inputTokens,
        output_tokens: use.outputTokens,
        cost_usd: use.costUsd,
      },
    );
  }
}

export function readUsage(connection: Connection, id: ExecutionId): readonly UsageRow[] {
  return connection
    .all<{
      readonly id: ExecutionId;
      readonly definition_id: DefinitionId;
      readonly input_tokens: number;
      readonly output_tokens: number;
      readonly cost_usd: number;
    }>(
      `${CHAIN}
       select c.id, c.definition_id, coalesce(u.input_tokens, 0) as input_tokens,
         coalesce(u.output_tokens, 0) as output_tokens, coalesce(u.cost_usd, 0) as cost_usd
       from chain c
       left join execution_usage u on u.execution_id = c.id
       order by c.place`,
      { id },
    )
    .map((row) => ({
      executionId: row.id,
      definitionId: row.definition_id,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      costUsd: row.cost_usd,
    }));
}
