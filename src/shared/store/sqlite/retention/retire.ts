import type { Retiring } from '../../retention.ts';
import { appendAudit, sealedUntil } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { EARLIER_RUN, MAY_BE_RETIRED, NEXT_RUN } from './conditions.ts';
import { releaseArtifacts } from '../artifacts/artifact-references.ts';

/**
 * Removes executions with all that belongs to them, in the transaction of the caller, or none of
 * them. A parent is removed before its children or with them, and runs in their order, so that a
 * reader who follows them finds the last.
 */
export function retireExecutions(connection: Connection, retiring: Retiring): boolean {
  const { retirementId, tenantId, actorId, told, executions } = retiring;
  const ids = JSON.stringify(executions.map(({ executionId }) => executionId));
  const ready = new Map(
    connection
      .all<{ readonly id: string; readonly last_sequence: number }>(
        `select e.id, e.last_sequence
         from executions as e
         where e.id in (select value from json_each(:ids))
           and e.tenant_id = :tenant_id
           and ${MAY_BE_RETIRED}
           and not exists (
             select 1
             from executions as p
             where p.id = e.parent_execution_id
               and p.id not in (select value from json_each(:ids))
           )
           and coalesce(${EARLIER_RUN} in (select value from json_each(:ids)), 1)`,
        { ids, tenant_id: tenantId, now: connection.now(), sealed_until: sealedUntil(connection) },
      )
      .map((row) => [row.id, row.last_sequence]),
  );
  const isReady = executions.every(
    ({ executionId, lastSequence, eventHashes }) =>
      ready.get(executionId) === lastSequence && eventHashes.length === lastSequence * 64,
  );
  if (!isReady) return false;
  for (const { executionId, eventHashes } of executions) {
    connection.run(
      `insert into retired_executions (execution_id, tenant_id, retirement_id, event_hashes)
       values (?, ?, ?, ?)`,
      [executionId, tenantId, retirementId, Buffer.from(eventHashes, 'hex')],
    );
  }
  moveSchedules(connection, ids);
  for (const statement of REMOVALS) connection.run(statement, { ids });
  releaseArtifacts(
    connection,
    executions.map(({ executionId }) => executionId),
  );
  appendAudit(connection, {
    auditId: retirementId,
    tenantId,
    executionId: null,
    eventType: 'executions_retired',
    actorId,
    payload: told,
  });
  return true;
}

/** A schedule that follows the runs of its executions continues from the next. */
function moveSchedules(connection: Connection, ids: string): void {
  const named = connection.all<{ readonly id: string; readonly next: string | null }>(
    `select e.id, ${NEXT_RUN} as next
     from executions as e
     where e.id in (select value from json_each(:ids))
       and exists (select 1 from schedules as s where s.last_execution_id = e.id)`,
    { ids },
  );
  for (const { id, next } of named) {
    if (next === null) continue;
    connection.run(
      'update schedules set last_execution_id = ?, turn = turn + 1 where last_execution_id = ?',
      [next, id],
    );
  }
}

const THESE = '(select value from json_each(:ids))';
// An approval, or another attempt with a child, gives a visit another item.
const THEIR_ITEMS = `
  work_item_id in (
    select v.payload ->> 'work_item_id'
    from events as v
    where v.execution_id in ${THESE}
      and v.kind in ('NodeScheduled', 'NodeResumed', 'RetryScheduled')
  )`;

const REMOVALS = [
  `delete from work_items where ${THEIR_ITEMS} and execution_id in ${THESE}`,
  `delete from dead_letters where ${THEIR_ITEMS} and execution_id in ${THESE}`,
  `delete from executions where id in ${THESE}`,
  `delete from approvals where execution_id in ${THESE}`,
  `delete from execution_labels where execution_id in ${THESE}`,
  `delete from snapshots where execution_id in ${THESE}`,
  `delete from runnable where execution_id in ${THESE}`,
  `delete from recorded_outputs where execution_id in ${THESE}`,
  `delete from execution_usage where execution_id in ${THESE}`,
  `delete from events where execution_id in ${THESE}`,
];
