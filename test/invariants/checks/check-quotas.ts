import { tokenIntervalUs } from '../../../src/shared/domain/workflow/flow/rate.ts';
import { type QuotaRate, readQuota } from '../../../src/shared/domain/work/quota.ts';
import type { SeenClaim } from './check-turns.ts';
import type { Dump } from '../dump.ts';
import type { History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Leases count until they are taken back: a worker that is late may still work. */
export function checkQuotas(
  dumps: readonly Dump[],
  history: History,
  claims: readonly SeenClaim[] = [],
): Violation[] {
  return [
    ...dumps.flatMap(checkLeases),
    ...(history.clockWasSetBack === true ? [] : checkRates(dumps, claims)),
  ];
}

const NONE = { tool: '', key: null, limit: null };

function checkLeases(dump: Dump): Violation[] {
  const quotas = new Map(
    dump.work_items.flatMap(({ work_item_id: id, tenant_id: tenant, queue_name: name }) => {
      const quota = readQuota(name ?? '');
      const { tool, key, limit } = quota ?? NONE;
      if (limit === null) return [];
      return [[id, { name: JSON.stringify([tenant, tool, key]), limit }] as const];
    }),
  );
  const held = Map.groupBy(
    dump.work_leases.flatMap(({ work_item_id: id }) => quotas.get(id) ?? []),
    ({ name }) => name,
  );
  return violations(
    'no more items of a quota are leased than its limit',
    held,
    ([quota, leased]) => {
      const limit = Math.max(...leased.map((one) => one.limit));
      return leased.length <= limit
        ? null
        : { about: { quota }, saw: `${leased.length} leases, and a limit of ${limit}` };
    },
  );
}

interface Paced {
  readonly bucket: string;
  readonly rate: QuotaRate;
  readonly executionId: string;
}

/**
 * An item has its token when it joins the queue of its workers, where each look sees it. It takes another one for
 * each later stay there. So between two looks, no more items join than a full bucket has and the time brings.
 */
function checkRates(dumps: readonly Dump[], claims: readonly SeenClaim[]): Violation[] {
  const items = pacedItems(dumps);
  if (items.size === 0) return [];
  const startedAt = new Map(
    dumps.flatMap(({ events }) =>
      events
        .filter(({ sequence }) => sequence === 1)
        .map((event) => [event.execution_id, event.created_at] as const),
    ),
  );
  const buckets = Map.groupBy(items.values(), ({ bucket }) => bucket);
  return violations(
    'calls of a quota go to workers at its rate at most',
    buckets,
    ([bucket, of]) => {
      const intervalMs = Math.min(...of.map(({ rate }) => tokenIntervalUs(rate) / 1_000));
      const burst = Math.max(...of.map(({ rate }) => rate.burst));
      const begin = Math.min(...of.map(({ executionId: id }) => startedAt.get(id) ?? Infinity));
      const stays = new Set<string>();
      // The most tokens that any look so far leaves; a millisecond is the precision of the clock.
      let since = { at: begin, count: 0 };
      for (const { at, waiting } of claims.filter((claim) => claim.at >= begin)) {
        for (const { work_item_id: id, place } of waiting) {
          if (items.get(id)?.bucket === bucket) stays.add(`${id} ${place}`);
        }
        const joined = stays.size - since.count;
        if (joined > burst + (at - since.at + 1) / intervalMs) {
          return { about: { bucket }, saw: `${joined} in ${at - since.at} ms, burst ${burst}` };
        }
        const spared = (at - since.at) / intervalMs - joined;
        if (spared > 0) since = { at, count: stays.size };
      }
      return null;
    },
  );
}

/** The same name of a queue has the same rate, so one bucket has several only if definitions differ. */
function pacedItems(dumps: readonly Dump[]): ReadonlyMap<string, Paced> {
  return new Map(
    dumps.flatMap(({ work_items: items }) =>
      items.flatMap((item) => {
        const { tool = '', rate = null } = readQuota(item.queue_name ?? '') ?? {};
        if (rate === null) return [];
        const bucket = JSON.stringify([item.tenant_id, tool, rate.key]);
        const paced = { bucket, rate, executionId: item.execution_id };
        return [[item.work_item_id, paced] as const];
      }),
    ),
  );
}
