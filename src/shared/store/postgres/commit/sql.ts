import { deletingParts, timerParts, workParts } from './effects.ts';
import { judgingParts, lockingParts } from './judge.ts';
import { JUDGED_FLAGS, type Has } from './parts.ts';
import { holdingParts, racingParts } from './holds.ts';
import { pauseWritingParts } from './pauses.ts';
import { startingParts } from './starts.ts';
import { createStatements } from './statement.ts';
import { treeWritingParts } from './trees.ts';
import { acceptingParts, recordingParts } from './write.ts';

/*
 * The text of the commit statement. One statement is one transaction and one snapshot; all its
 * parts see the tables as they were when it began, whatever they wait for meanwhile. Rows that are
 * locked (`for update`) or written are the exception: they are seen as they are once the lock is
 * had. The order of the parts follows from that:
 *
 * 1. `locked`: the executions, by id. From here on nobody else commits to them.
 * 2. `held`, `overdue`, `firing`: the leases, queued items and timers that plans rest on, locked and
 *    therefore as they are now. Executions come first and leases are taken by id, as everywhere, so
 *    there are no deadlocks.
 * 3. `standing`: the pauses of workflows that plans rest on; `related`: the trees that plans start
 *    something in, or end; `room`: the tenants whose limits new executions are held to.
 * 4. `clock`: the one instant of this statement, read when all locks are had.
 * 5. `judged`: the verdict of each plan; `accepted`: those that hold, with their execution changed.
 * 6. Everything else joins `accepted`, so a refused plan writes nothing.
 *
 * Rows are deleted before rows with the same key are inserted: a part that must come later counts
 * the rows of the earlier one, which runs it to its end.
 *
 * Revoking, and holding what waits, meet claims and promotions of retries, which move an item (retry timer → queue → lease)
 * without taking its execution. An item that moves between the statement's snapshot and its own
 * deletes is seen at its old place and is no longer there; `raced` finds that by counting, as well
 * as an execution that was changed between snapshot and lock (its new items would be invisible).
 * The statement then fails as a serialization failure, nothing of it remains, and it is sent again
 * with a fresh snapshot. Items move twice at most, so this ends.
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
      ...treeWritingParts(has, $),
      ...deletingParts(has, $),
      ...holdingParts(has, $),
      ...pauseWritingParts(has, $),
      ...racingParts(has, $),
      ...workParts(has, $),
      ...timerParts(has, $),
      ...recordingParts(has, $),
    ];
    return `with ${parts.join(',\n')}\n${verdicts(has)}`;
  },
});

function verdicts(has: Has): string {
  const tickets = has('tickets');
  return `select j.position, j.reason, a.last_sequence, a.stamp,
      a.position is not null as accepted,
      ${tickets ? `coalesce(f.fences, '{}')` : `'{}'::int8[]`} as fences
      ${has('requests') ? ', j.id in (select execution_id from granted) as granted' : ''}
      ${has('revokes') || has('holds') ? ', (select fail_as_serialization() from raced) as raced' : ''}
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
