import { claimsOf } from './check-claims.ts';
import { textIn, type Dump } from '../dump.ts';
import {
  actorOf,
  deedsOf,
  isBefore,
  success,
  wasRefused,
  type Deed,
  type DeedOf,
  type History,
} from '../history.ts';
import { violations, type Violation } from '../violation.ts';

type Unfenced = DeedOf<'complete_unfenced'> | DeedOf<'fail_unfenced'>;

/** Settles of old workers, which send no fence, and dead letters that operators requeue. */
export function checkOperations(dump: Dump, history: History): Violation[] {
  const requeues = Map.groupBy(
    deedsOf(history, 'requeue').filter((deed) => !wasRefused(deed)),
    ({ asks }) => asks.workItemId,
  );
  return [
    ...checkUnfenced(dump, history, requeues),
    ...checkRequeues(dump, deedsOf(history, 'requeue')),
  ];
}

/** A settle without a fence only ends the lease: its node stays as it is until an operator acts. */
function checkUnfenced(
  dump: Dump,
  history: History,
  requeues: ReadonlyMap<string, readonly Deed[]>,
): Violation[] {
  const completions = deedsOf(history, 'complete_unfenced');
  const settles: Unfenced[] = [...completions, ...deedsOf(history, 'fail_unfenced')];
  const accepted = settles.filter((deed) => success(deed) !== null);
  const told = Map.groupBy(
    dump.events.filter(({ kind }) => kind === 'NodeCompleted'),
    ({ payload }) => JSON.stringify(payload['output']),
  );
  const claims = Map.groupBy(claimsOf(history), ({ workItemId }) => workItemId);
  const settled = Map.groupBy(
    [
      ...deedsOf(history, 'complete'),
      ...deedsOf(history, 'fail'),
      ...deedsOf(history, 'heartbeat'),
    ],
    ({ asks }) => asks.workItemId,
  );
  const dead = new Set(dump.dead_letters.map((letter) => letter.work_item_id));
  const over = new Set(
    dump.executions
      .filter(({ status }) => status !== 'running' && status !== 'paused')
      .map(({ id }) => id),
  );
  const executions = new Map(dump.work_items.map((item) => [item.work_item_id, item.execution_id]));
  const about = ({ asks, begun }: Unfenced) => ({ work_item: asks.workItemId, deed: begun });
  return [
    ...violations('a result without a fence completes no node', completions, (deed) => {
      const found = told.get(JSON.stringify(deed.asks.output))?.length ?? 0;
      const most = requeues.has(deed.asks.workItemId) && deed.asks.key !== null ? 1 : 0;
      if (found <= most) return null;
      return { about: about(deed), saw: `told by ${found} events, at most ${most}` };
    }),
    ...violations('a lease that ended without its fence accepts nothing more', accepted, (deed) => {
      const late = settled.get(deed.asks.workItemId)?.find((other) => {
        if (success(other) === null || !isBefore(deed, other)) return false;
        const claim = claims
          .get(deed.asks.workItemId)
          ?.find(({ fence }) => fence === other.asks.fence);
        return claim !== undefined && isBefore(claim.deed, deed);
      });
      if (late === undefined) return null;
      return { about: about(deed), saw: `${late.asks.do} under ${late.asks.fence} was accepted` };
    }),
    ...violations('an item with a recorded result is not handed out again', completions, (deed) => {
      if (success(deed) === null || deed.asks.key === null) return null;
      const again = claims.get(deed.asks.workItemId)?.find((claim) => isBefore(deed, claim.deed));
      if (again === undefined) return null;
      return { about: about(deed), saw: `handed out again under fence ${again.fence}` };
    }),
    ...violations('an item that ended without its fence is a dead letter', accepted, (deed) => {
      const id = deed.asks.workItemId;
      if (dead.has(id) || requeues.has(id) || over.has(executions.get(id) ?? '')) return null;
      return { about: about(deed), saw: 'it is not, and nobody has put it back' };
    }),
  ];
}

/** A requeue is one change, with one entry in the audit log. */
function checkRequeues(dump: Dump, requeues: readonly DeedOf<'requeue'>[]): Violation[] {
  const rows = Map.groupBy(
    dump.audit_log.filter((row) => row.event_type === 'work_item_requeued'),
    (row) => `${row.actor_id} ${textIn(row.payload, 'work_item_id')}`,
  );
  return violations(
    'a requeue is one entry of the audit log',
    Map.groupBy(requeues, (deed) => `${actorOf(deed)} ${deed.asks.workItemId}`),
    ([name, deeds]) => {
      const accepted = deeds.filter((deed) => success(deed) !== null).length;
      const open = deeds.filter((deed) => success(deed) === null && !wasRefused(deed)).length;
      const found = rows.get(name)?.length ?? 0;
      if (found >= accepted && found <= accepted + open) return null;
      return { about: { of: name }, saw: `written down ${found} times, accepted ${accepted}` };
    },
  );
}
