import type { CommitPlan, StartedExecution } from '../../commit.ts';
import type { Connection } from '../connection/connect.ts';

/** Executions that an accepted plan of another starts: children, and a run that continues it. */
export function startExecutions(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly createdAt: number },
): void {
  const { plan, createdAt } = params;
  for (const start of plan.startsExecutions) {
    const { executionId: id, shard, started, used } = start;
    connection.run(
      `insert into executions (
         id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
         parent_execution_id, status, last_sequence, error, created_at, updated_at, completed_at
       )
       values (
         :id, :tenant_id, :definition_id, :workflow_id, :workflow_version, :shard, :priority,
         :parent_execution_id, 'running', 1, null, :now, :now, null
       )`,
      {
        id,
        tenant_id: plan.tenantId,
        definition_id: start.definitionId,
        workflow_id: start.workflowId,
        workflow_version: start.workflowVersion,
        shard,
        priority: start.priority,
        parent_execution_id: start.parentExecutionId,
        now: createdAt,
      },
    );
    connection.run(
      `insert into events (
         execution_id, sequence, kind, node_id, payload, actor_id, created_at
       )
       values (:id, 1, 'WorkflowStarted', null, :payload, :actor_id, :now)`,
      { id, payload: started.payload, actor_id: started.actorId, now: createdAt },
    );
    if (start.waitsForPlace) waitForPlace(connection, { plan, start, createdAt });
    else {
      connection.run('insert into runnable (execution_id, shard) values (:id, :shard)', {
        id,
        shard,
      });
    }
    if (start.takesPlaceOf !== null) {
      connection.run(
        `insert into child_places (
           execution_id, tenant_id, parent_execution_id, shard, state, since
         )
         select :id, tenant_id, parent_execution_id, :shard, state, since
         from child_places
         where execution_id = :before`,
        { id, shard, before: start.takesPlaceOf },
      );
    }
    if (used === null) continue;
    connection.run('update flow_places set execution_id = :id where execution_id = :before', {
      id,
      before: plan.executionId,
    });
    connection.run(
      `insert into execution_usage (
         execution_id, tenant_id, input_tokens, output_tokens, cost_usd
       )
       values (:id, :tenant_id, :input_tokens, :output_tokens, :cost_usd)`,
      {
        id,
        tenant_id: plan.tenantId,
        input_tokens: used.inputTokens,
        output_tokens: used.outputTokens,
        cost_usd: used.costUsd,
      },
    );
  }
}

function waitForPlace(
  connection: Connection,
  params: {
    readonly plan: CommitPlan;
    readonly start: StartedExecution;
    readonly createdAt: number;
  },
): void {
  const { plan, start, createdAt } = params;
  connection.run(
    `insert into child_places (execution_id, tenant_id, parent_execution_id, shard, state, since)
     values (:id, :tenant_id, :parent_execution_id, :shard, 'waiting', :since)`,
    {
      id: start.executionId,
      tenant_id: plan.tenantId,
      parent_execution_id: start.parentExecutionId,
      shard: start.shard,
      since: createdAt,
    },
  );
}
