import type { Has, Param } from './parts.ts';
import { placingParts } from './trees.ts';

/** Executions that begin with accepted plans of others: children, and runs that go on. */
export function startingParts(has: Has, $: Param): string[] {
  if (!has('run_plan')) return [];
  return [
    `run as materialized (
      select r.id, a.tenant_id, r.definition_id, r.workflow_id, r.workflow_version, r.shard,
        r.priority, r.parent_execution_id, r.payload, r.actor_id, r.input_tokens, r.output_tokens,
        r.cost_usd, r.waits_for_place, r.takes_place_of, a.stamp
      from unnest(
        ${$('run_plan')}, ${$('run_execution')}, ${$('run_definition')}, ${$('run_workflow')},
        ${$('run_version')}, ${$('run_shard')}, ${$('run_priority')}, ${$('run_parent')},
        ${$('run_payload')}, ${$('run_actor')}, ${$('run_input_tokens')},
        ${$('run_output_tokens')}, ${$('run_cost')}, ${$('run_waits')}, ${$('run_place_of')}
      ) as r (
        position, id, definition_id, workflow_id, workflow_version, shard, priority,
        parent_execution_id, payload, actor_id, input_tokens, output_tokens, cost_usd,
        waits_for_place, takes_place_of
      )
      join accepted a on a.position = r.position
    )`,
    `run_created as (
      insert into executions (
        id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
        parent_execution_id, status, last_sequence, error, created_at, updated_at, completed_at
      )
      select r.id, r.tenant_id, r.definition_id, r.workflow_id, r.workflow_version, r.shard,
        r.priority, r.parent_execution_id, 'running', 1, null, r.stamp, r.stamp, null
      from run r
      order by r.id
    )`,
    `run_appended as (
      insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
      select r.id, 1, 'WorkflowStarted', null, r.payload, r.actor_id, r.stamp
      from run r
    )`,
    `run_used as (
      insert into execution_usage (execution_id, tenant_id, input_tokens, output_tokens, cost_usd)
      select r.id, r.tenant_id, r.input_tokens, r.output_tokens, r.cost_usd
      from run r
      where r.input_tokens is not null
    )`,
    `run_marked as (
      insert into runnable (execution_id, shard)
      select r.id, r.shard
      from run r
      where not r.waits_for_place
      order by r.id
    )`,
    ...placingParts(),
  ];
}
