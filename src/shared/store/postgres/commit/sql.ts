import { deletingParts, timerParts, workParts } from './effects.ts';
import { judgingParts, lockingParts } from './judge.ts';
import { JUDGED_FLAGS, type Has, type Param } from './parts.ts';
import { holdingParts, racingParts } from './holds.ts';
import { placeTakingParts } from './places.ts';
import { pauseWritingParts } from './pauses.ts';
import { labellingParts, startingParts, waitingParts } from './starts.ts';
import { createStatements } from './statement.ts';
import { tenantLineParts, treeWritingParts } from './trees.ts';
import { unservedTenants } from './unserved.ts';
import { approvalParts } from './approvals.ts';
import { acceptingParts, recordingParts } from './write.ts';

/*
 * The text of the commit statement. One statement is one transaction and one snapshot: all its
 * parts see the tables as of its beginning, even after a wait. Rows that it locks (`for update`) or
 * writes are the exception: it sees them as of the moment when it gets the lock. The order of the
 * parts follows from that:
 *
 * 1. `locked`: the executions, by id. From here on nobody else commits to them.
 * 2. `held`, `overdue`, `firing`: the leases, queued items and timers that plans depend on, locked
 *    and therefore current. Executions come first and leases are taken by id, as everywhere, so
 *    there are no deadlocks.
 * 3. `standing`: the pauses of workflows that plans depend on; `related`: the trees in which plans
 *    start or end executions; `room`: the tenants whose limits apply to new executions.
 * 4. `clock`: the one instant of this statement, read when it holds all locks.
 * 5. `judged`: the verdict of each plan; `accepted`: the accepted plans, with their execution
 *    changed.
 * 6. Everything else joins `accepted`, so a refused plan writes nothing.
 *
 * Rows are deleted before rows with the same key are inserted: a part that must run later counts
 * the rows of the earlier one, which makes the earlier one run to its end.
 *
 * Revoking and holding items race with claims and promotions of retries, which move an item (retry
 * timer → queue → lease) without locking its execution. If an item moves between the statement's
 * snapshot and its deletes, the snapshot shows a place that the item has left; `raced` detects that
 * by counting. It also detects an execution that changed between snapshot and lock, whose new items
 * would be invisible. The statement then fails with a serialization failure, writes nothing, and is
 * sent again with a fresh snapshot. Items move twice at most, so this ends.
 */

/** The statement with the parts that a batch needs. */
export const judgingStatement = createStatements({
  prefix: 'commit',
  flags: JUDGED_FLAGS,
  widest: JUDGED_FLAGS,
  compose: (has, $) => {
    const parts = [
      ...lockingParts(has, $),
      ...judgingParts(has, $),
      ...acceptingParts(has, $),
      ...startingParts(has, $),
      ...labellingParts(has, $),
      ...waitingParts(has, $),
      ...tenantLineParts(has, $),
      ...placeTakingParts(has, $),
      ...treeWritingParts(has, $),
      ...deletingParts(has, $),
      ...holdingParts(has, $),
      ...pauseWritingParts(has, $),
      ...racingParts(has, $),
      ...workParts(has, $),
      ...timerParts(has, $),
      ...recordingParts(has, $),
      ...approvalParts(has, $),
    ];
    return `with ${parts.join(',\n')}\n${verdicts(has, $)}`;
  },
});

function verdicts(has: Has, $: Param): string {
  const tickets = has('tickets');
  return `select j.position, j.reason, a.last_sequence, a.stamp,
      a.position is not null as accepted,
      ${tickets ? `coalesce(f.fences, '{}')` : `'{}'::int8[]`} as fences
      ${has('offers') ? `, ${unservedTenants($)} as unserved` : ''}
      ${has('requests') ? ', j.id in (select execution_id from granted) as granted' : ''}
      ${has('revokes') || has('holds') ? ', (select fail_as_serialization() from raced) as raced' : ''}
      ${has('takes') ? ', (select fail_as_serialization() from unseated) as unseated' : ''}
    from judged j
    left join accepted a on a.position = j.position
    ${
      tickets
        ? `left join (
             select t.position, array_agg(t.lease_fence order by t.ordinal) as fences
             from ticket t
             where t.place = 'lease'
             group by t.position
           ) f on f.position = j.position`
        : ''
    }`;
}
