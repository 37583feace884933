import { after, type Has, type Param } from './parts.ts';

/*
 * A commit may hold an execution for its workflow's pause only while that pause exists. The commit
 * locks the row of the pause, so a transaction that begins or ends a pause waits for the commits
 * that depend on it, and later commits see the change. After a resume no commit holds an execution,
 * and after a new pause none releases one.
 */

export function pauseLockingParts(has: Has, $: Param): string[] {
  if (!has('pauses')) return [];
  return [
    `standing as materialized (
      select w.tenant_id, w.workflow_id, w.resumed_at
      from workflow_pauses w
      where w.tenant_id = any(${$.array('pauses', 'tenant_id')})
        and w.workflow_id = any(${$.array('pauses', 'workflow_id')})
        and ${after('locked')}
      order by w.tenant_id, w.workflow_id
      for share
    )`,
  ];
}

export function pauseJudgingParts(has: Has, $: Param): string[] {
  if (!has('pauses')) return [];
  return [
    `unfit as materialized (
      select h.position,
        case h.change when 'put' then 'workflow_resumed' else 'workflow_paused' end as reason
      from ${holds($)}
      left join standing s
        on s.tenant_id = h.tenant_id
        and s.workflow_id = h.workflow_id
        and s.resumed_at is null
      where (h.change = 'put' and s.workflow_id is null)
        or (h.change = 'lift' and s.workflow_id is not null)
    )`,
  ];
}

export function pauseWritingParts(has: Has, $: Param): string[] {
  if (!has('pauses')) return [];
  return [
    `held_back as (
      insert into workflow_holds (execution_id, tenant_id, workflow_id)
      select a.id, h.tenant_id, h.workflow_id
      from ${holds($)}
      join accepted a on a.position = h.position
      where h.change = 'put'
      order by a.id
      on conflict (execution_id) do nothing
    )`,
    `let_go as (
      delete from workflow_holds w
      where w.execution_id = any(array(
        select a.id
        from ${holds($)}
        join accepted a on a.position = h.position
        where h.change <> 'put'
      ))
    )`,
  ];
}

function holds($: Param): string {
  return $.table('pauses', 'h', ['position', 'tenant_id', 'workflow_id', 'change']);
}
