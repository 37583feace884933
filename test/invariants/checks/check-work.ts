import type { Dump } from '../dump.ts';
import { checkClaims, claimsOf, releasedIn, type Claim } from './check-claims.ts';
import { checkReleases } from './check-releases.ts';
import { byExecution } from './check-histories.ts';
import { foldHistory } from '../fold-history.ts';
import {
  deedsOf,
  isBefore,
  success,
  wasRefused,
  type Deed,
  type DeedOf,
  type History,
} from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Work items: where they are, which worker holds them, and which may settle them. */
export function checkWork(dumps: readonly Dump[], history: History): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  const claims = claimsOf(history);
  const requeued = requeuedBy(history);
  const released = releasedIn(history);
  return [
    ...dumps.flatMap(checkPlaces),
    ...checkSettles(claims, history),
    ...checkAttempts(
      last,
      claims.filter(({ fence }) => !released.perhaps.has(fence)),
      requeued,
    ),
    ...checkClaims(last, claims, requeued, released),
    ...checkReleases(last, claims, history),
    ...checkLapses(
      last,
      // A rollback counts attempts from 0 again, so the attempt doesn't show which lease lapsed.
      claims.filter(({ workItemId, turn }) => turn === null && !requeued.has(workItemId)),
      history,
    ),
  ];
}

const TOLD_TIMERS = new Set(['child_ended', 'parent_ended']);

function checkPlaces(dump: Dump): Violation[] {
  const over = new Set(
    dump.executions.filter(({ status }) => status in OVER).map((execution) => execution.id),
  );
  const folded = new Map(
    byExecution(dump)
      .entries()
      .map(([id, events]) => [id, foldHistory(events)] as const),
  );
  const open = new Map(folded.entries().map(([id, { openItems }]) => [id, openItems] as const));
  const owners = new Map(dump.executions.map((row) => [row.id, row.tenant_id]));
  // An execution that is about to be cancelled has a timer instead of a mark.
  const ending = dump.timers.filter(({ purpose }) => purpose === 'parent_ended');
  const marked = new Set([...dump.runnable, ...ending].map((row) => row.execution_id));
  const places = new Map<string, string[]>();
  const held = [
    ...dump.work_queue.map((row) => ({ place: 'work_queue', row })),
    ...dump.work_leases.map((row) => ({ place: 'work_leases', row })),
    ...dump.retry_timers.map((row) => ({ place: 'retry_timers', row })),
  ];
  for (const { place, row } of held) {
    places.set(row.work_item_id, [...(places.get(row.work_item_id) ?? []), place]);
  }
  const dead = new Set(dump.dead_letters.map((letter) => letter.work_item_id));
  const leased = Map.groupBy(dump.work_leases, (lease) => lease.lease_fence);
  const leftovers = [
    ...held.map(({ place, row }) => ({ place, id: row.execution_id })),
    ...dump.runnable.map((row) => ({ place: 'runnable', id: row.execution_id })),
    ...dump.timers
      .filter(({ purpose }) => !TOLD_TIMERS.has(purpose))
      .map((row) => ({ place: 'timers', id: row.execution_id })),
  ];
  const owned = [...held.map(({ row }) => row), ...dump.work_items, ...dump.timers];
  return [
    ...violations('an execution that has ended holds nothing', leftovers, ({ place, id }) =>
      over.has(id) ? { about: { execution: id }, saw: `a row in ${place}` } : null,
    ),
    ...violations('no two leases have one fence', leased.entries(), ([fence, leases]) =>
      leases.length === 1
        ? null
        : { about: { fence }, saw: leases.map((lease) => lease.work_item_id).join(' and ') },
    ),
    ...violations('an item is in one place at a time', places.entries(), ([id, at]) =>
      at.length > 1 ? { about: { work_item: id }, saw: at.join(' and ') } : null,
    ),
    ...violations('rows of an execution belong to its tenant', owned, (row) =>
      owners.get(row.execution_id) === row.tenant_id
        ? null
        : {
            about: { execution: row.execution_id, tenant: row.tenant_id },
            saw: `the execution is of ${owners.get(row.execution_id) ?? 'nobody'}`,
          },
    ),
    ...violations(
      'work that is under way is queued, leased or waits for its retry',
      open.entries(),
      ([id, items]) => {
        if (marked.has(id)) return null;
        // A paused execution schedules the next attempt when it is resumed.
        const isPaused = (folded.get(id)?.pauses.size ?? 0) > 0;
        const lost = [...items.values()].filter(
          ({ workItemId, isBetweenAttempts }) =>
            !places.has(workItemId) && !dead.has(workItemId) && !(isPaused && isBetweenAttempts),
        );
        if (lost.length === 0) return null;
        return {
          about: { execution: id, work_item: lost.map((item) => item.workItemId).join(', ') },
          saw: `nobody will ever get the work of ${lost.map((item) => item.nodeId).join(', ')}`,
        };
      },
    ),
    ...violations(
      'a queued, leased or waiting item belongs to an open visit',
      held.filter(({ row }) => !over.has(row.execution_id)),
      ({ place, row }) => {
        if (open.get(row.execution_id)?.has(row.work_item_id)) return null;
        return {
          about: { execution: row.execution_id, work_item: row.work_item_id, node: row.node_id },
          saw: `a row in ${place}, but its visit is over`,
        };
      },
    ),
  ];
}

const OVER = { completed: true, failed: true, cancelled: true };

type Settle =
  DeedOf<'complete'> | DeedOf<'fail'> | DeedOf<'complete_rollback'> | DeedOf<'continue'>;

function checkSettles(claims: readonly Claim[], history: History): Violation[] {
  const settles: Settle[] = [
    ...deedsOf(history, 'complete'),
    ...deedsOf(history, 'complete_rollback'),
    ...deedsOf(history, 'fail'),
    ...firstContinuations(history),
  ];
  const accepted = settles.filter((deed) => success(deed) !== null);
  const held: Deed[] = [
    ...accepted,
    ...deedsOf(history, 'heartbeat'),
    ...deedsOf(history, 'record'),
    ...deedsOf(history, 'continue'),
  ];
  const byItem = Map.groupBy(claims, (claim) => claim.workItemId);
  const once = new Map<number, Settle>();
  const completed = new Map<string, Settle>();
  return [
    ...violations('only the holder of the newest fence is answered 200', held, (deed) => {
      const asks = deed.asks as Settle['asks'];
      if (success(deed) === null) return null;
      const newer = byItem
        .get(asks.workItemId)
        ?.find((claim) => claim.fence > asks.fence && isBefore(claim.deed, deed));
      if (newer === undefined) return null;
      return {
        about: { work_item: asks.workItemId, fence: asks.fence, deed: deed.begun },
        saw: `${asks.do} was accepted after fence ${newer.fence} had been given`,
      };
    }),
    ...violations('a fence that is accepted was handed out with the item', held, (deed) => {
      const { do: what, workItemId, fence } = deed.asks as Settle['asks'];
      if (success(deed) === null) return null;
      if (byItem.get(workItemId)?.some((claim) => claim.fence === fence)) return null;
      return {
        about: { work_item: workItemId, fence, deed: deed.begun },
        saw: `${what} was accepted, and nobody was given this fence`,
      };
    }),
    ...violations('a lease is settled once', accepted, (deed) => {
      const { workItemId, fence } = deed.asks;
      const first = once.get(fence);
      once.set(fence, deed);
      if (first === undefined) return null;
      return { about: { work_item: workItemId, fence }, saw: 'settled twice with 200' };
    }),
    ...violations('an item is completed once', accepted, (deed) => {
      const { do: what, workItemId, fence } = deed.asks;
      const first = completed.get(workItemId);
      if (what !== 'fail') completed.set(workItemId, deed);
      if (first === undefined || what === 'fail') return null;
      const saw = `completed under ${first.asks.fence} and under ${fence}`;
      return { about: { work_item: workItemId }, saw };
    }),
    ...violations(
      'an item is not handed out after its completion was answered',
      claims,
      (claim) => {
        const done = completed.get(claim.workItemId);
        if (done === undefined || !isBefore(done, claim.deed)) return null;
        return {
          about: { work_item: claim.workItemId, fence: claim.fence, key: claim.key },
          saw: `handed out again, attempt ${claim.attempt}`,
        };
      },
    ),
  ];
}

/** A repeated request gets the same answer; see `checkContinuations`. */
function firstContinuations(history: History): readonly DeedOf<'continue'>[] {
  const accepted = deedsOf(history, 'continue').filter((deed) => success(deed) !== null);
  return [...Map.groupBy(accepted, ({ asks }) => asks.fence).values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
}

/**
 * No process reclaims the item before the expiry that the last heartbeat was promised. Earlier
 * promises don't count, because the clock may have been set back since.
 */
function checkLapses(dump: Dump, claims: readonly Claim[], history: History): Violation[] {
  const attempts = new Map(claims.map((claim) => [claim.fence, claim.attempt]));
  const lapses = dump.events.filter(({ payload }) => payload['error_class'] === 'lease_lapsed');
  const heartbeats = Map.groupBy(deedsOf(history, 'heartbeat'), (deed) => deed.asks.fence);
  const renewals = [...heartbeats.values()].flatMap((deeds) =>
    deeds.filter((deed) => deeds.every((other) => other === deed || isBefore(other, deed))),
  );
  return violations('a lease that was renewed does not lapse before its time', renewals, (deed) => {
    const { workItemId, fence } = deed.asks;
    const { lease_expires_at: until } = success(deed) ?? {};
    const lapse = lapses.find(
      ({ payload }) =>
        payload['work_item_id'] === workItemId && payload['attempt'] === attempts.get(fence),
    );
    if (!attempts.has(fence)) return null;
    if (lapse === undefined || typeof until !== 'string') return null;
    if (lapse.created_at >= Date.parse(until)) return null;
    return {
      about: { work_item: workItemId, fence, deed: deed.begun },
      saw: `renewed until ${until}, lapsed at ${new Date(lapse.created_at).toISOString()}`,
    };
  });
}

/** How often operators may have requeued items; each requeue starts the attempts again. */
function requeuedBy(history: History): ReadonlyMap<string, number> {
  const may = deedsOf(history, 'requeue').filter((deed) => !wasRefused(deed));
  return new Map(
    [...Map.groupBy(may, ({ asks }) => asks.workItemId)].map(([id, deeds]) => [id, deeds.length]),
  );
}

/** Turns of functions count separately; see `checkFunctions`. */
function isFunction(claims: readonly Claim[] = []): boolean {
  return claims.some(({ turn }) => turn !== null);
}

/** A lapse counts as an attempt, so an item that kills its workers doesn't run forever. */
function checkAttempts(
  dump: Dump,
  claims: readonly Claim[],
  requeued: ReadonlyMap<string, number>,
): Violation[] {
  const byItem = Map.groupBy(claims, (claim) => claim.workItemId);
  const tenants = new Map(dump.work_items.map((item) => [item.work_item_id, item]));
  return [
    ...violations('claims of an item are no more than its attempts', dump.work_items, (item) => {
      const attempts = (byItem.get(item.work_item_id) ?? []).map(({ attempt }) => attempt);
      const max = Number(item.retry_policy['maxAttempts'] ?? item.retry_policy['max_attempts']);
      const rounds = 1 + (requeued.get(item.work_item_id) ?? 0);
      if (isFunction(byItem.get(item.work_item_id))) {
        return attempts.every((attempt) => attempt < max)
          ? null
          : { about: { work_item: item.work_item_id }, saw: `attempts ${attempts.join(', ')}` };
      }
      const isTwice = rounds === 1 && new Set(attempts).size < attempts.length;
      if (attempts.length <= max * rounds && !isTwice) return null;
      return {
        about: { work_item: item.work_item_id, node: item.node_id },
        saw: `attempts ${attempts.join(', ')}, at most ${max}`,
      };
    }),
    ...violations('workers get items of their own tenant', claims, (claim) => {
      const item = tenants.get(claim.workItemId);
      if (item?.tenant_id === claim.deed.tenantId) return null;
      return {
        about: { work_item: claim.workItemId, tenant: claim.deed.tenantId },
        saw: `the item is of ${item?.tenant_id ?? 'nobody'}`,
      };
    }),
  ];
}
