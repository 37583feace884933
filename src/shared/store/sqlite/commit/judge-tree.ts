import type { CommitPlan, RefusalReason } from '../../commit.ts';
import type { Connection } from '../connection/connect.ts';

/** Why the tree refuses a plan, see `TreeUse`; null: it does not. */
export function judgeTree(connection: Connection, plan: CommitPlan): RefusalReason | null {
  const { tree } = plan;
  if (tree === null || tree.is === 'end') return null;
  if (isOrphaned(connection, plan)) return 'orphaned';
  if (tree.is === 'begin') return null;
  const row = connection.get<{ readonly descendants: number }>(
    'select descendants from execution_trees where root_execution_id = ?',
    [tree.rootExecutionId],
  );
  return (row?.descendants ?? 0) + tree.adds > tree.descendantsMax ? 'descendants_limited' : null;
}

function isOrphaned(connection: Connection, { executionId }: CommitPlan): boolean {
  const found = connection.get(
    `with recursive chain (id, parent_execution_id, status) as (
       select id, parent_execution_id, status
       from executions
       where id = :id
       union all
       select e.id, e.parent_execution_id, e.status
       from chain c
       join executions e on e.id = c.parent_execution_id
     )
     select 1
     from chain
     where (id <> :id and status in ('completed', 'failed', 'cancelled'))
       or exists (
         select 1
         from timers t
         where t.execution_id = chain.id and t.name = 'parent_ended'
       )
     limit 1`,
    { id: executionId },
  );
  return found !== undefined;
}

export function writeTree(connection: Connection, plan: CommitPlan): void {
  const { tree, leavesQueue, leavesLine = false } = plan;
  if (leavesQueue || leavesLine) {
    connection.run('delete from flow_waits where execution_id = ?', [plan.executionId]);
  }
  if (leavesQueue) {
    connection.run('delete from child_places where execution_id = ?', [plan.executionId]);
  }
  if (tree === null) return;
  for (const { purpose, executionId } of plan.startsTimers) {
    // A child that is about to be cancelled needs no decision.
    if (purpose !== 'parent_ended' || executionId === null) continue;
    connection.run('delete from runnable where execution_id = ?', [executionId]);
  }
  if (tree.adds === 0) return;
  connection.run(
    `insert into execution_trees (root_execution_id, tenant_id, descendants)
     values (:root, :tenant_id, :adds)
     on conflict (root_execution_id) do update
     set descendants = descendants + excluded.descendants`,
    { root: tree.rootExecutionId, tenant_id: plan.tenantId, adds: tree.adds },
  );
}
