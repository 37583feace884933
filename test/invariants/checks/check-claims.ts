import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import type { Dump } from '../dump.ts';
import { deedsOf, success, wasRefused, type DeedOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** A claim hands out an item as it was created, with a later attempt each time. */
export function checkClaims(
  dump: Dump,
  claims: readonly Claim[],
  requeued: ReadonlyMap<string, number>,
  released: Released,
): Violation[] {
  const items = new Map(dump.work_items.map((item) => [item.work_item_id, item]));
  const byItem = Map.groupBy(
    // `checkFunctions` checks the turns of durable functions.
    claims.filter(({ workItemId, turn }) => turn === null && !requeued.has(workItemId)),
    ({ workItemId }) => workItemId,
  );
  const attempts = [...byItem.values()].flatMap((of) =>
    of
      .toSorted((one, other) => one.fence - other.fence)
      .map((claim, index, all) => ({ claim, before: leastBefore(all[index - 1], released) })),
  );
  return [
    ...checkFences(claims),
    ...violations('a claim hands out the item that was created', claims, (claim) => {
      const item = items.get(claim.workItemId);
      const isIt = item?.execution_id === claim.executionId && item.idempotency_key === claim.key;
      if (isIt) return null;
      return {
        about: { work_item: claim.workItemId, deed: claim.deed.begun },
        saw: `${claim.executionId} ${claim.key}, it is of ${item?.execution_id ?? 'nothing'}`,
      };
    }),
    ...violations('a newer fence means a later attempt', attempts, ({ claim, before }) =>
      claim.attempt > before
        ? null
        : {
            about: { work_item: claim.workItemId, fence: claim.fence },
            saw: `attempt ${claim.attempt} after attempt ${before}`,
          },
    ),
  ];
}

/** Fences whose items were released for certain, or perhaps because the answer was lost. */
export interface Released {
  readonly surely: ReadonlySet<number>;
  readonly perhaps: ReadonlySet<number>;
}

export function releasedIn(history: History): Released {
  const deeds = deedsOf(history, 'release');
  const fences = (of: typeof deeds) => new Set(of.map(({ asks }) => asks.fence));
  return {
    surely: fences(deeds.filter((deed) => success(deed) !== null)),
    perhaps: fences(deeds.filter((deed) => !wasRefused(deed))),
  };
}

/** A released item keeps its attempt, and so may one whose release got no answer. */
function leastBefore(claim: Claim | undefined, { perhaps }: Released): number {
  if (claim === undefined) return -1;
  return perhaps.has(claim.fence) ? claim.attempt - 1 : claim.attempt;
}

export interface Claim {
  readonly deed: DeedOf<'claim'>;
  readonly workItemId: string;
  readonly executionId: string;
  readonly key: string;
  readonly attempt: number;
  readonly fence: number;
  /** Null: the answer names no tool. */
  readonly tool: string | null;
  readonly queueName: string;
  /** The turn and the first entries of the journal of a durable function; null for other items. */
  readonly turn: number | null;
  readonly journal: readonly JsonObject[] | null;
  readonly input: JsonValue;
}

/**
 * The items that claims handed out. A repeated claim counts as one claim that began with its first
 * request. If it hands out an item again under the same fence, only the first answer counts. A
 * request that is answered late, after the item was used, may show a later turn.
 */
export function claimsOf(history: History): Claim[] {
  const deeds = deedsOf(history, 'claim').toSorted(
    (one, other) => (one.ended ?? Infinity) - (other.ended ?? Infinity),
  );
  const begun = new Map<string, number>();
  for (const { asks, begun: moment } of deeds) {
    const { claimId } = asks;
    if (claimId === undefined) continue;
    begun.set(claimId, Math.min(moment, begun.get(claimId) ?? Infinity));
  }
  const given = new Set<string>();
  return deeds.flatMap((asked) => {
    const { claimId } = asked.asks;
    const claims = claimsIn({ ...asked, begun: begun.get(claimId ?? '') ?? asked.begun });
    if (claimId === undefined) return claims;
    return claims.filter(({ workItemId, fence }) => {
      const key = `${claimId} ${asked.asks.workerId} ${workItemId} ${fence}`;
      const isNew = !given.has(key);
      given.add(key);
      return isNew;
    });
  });
}

function claimsIn(deed: DeedOf<'claim'>): Claim[] {
  const { work_items: items } = success(deed) ?? {};
  if (!Array.isArray(items)) return [];
  return (items as unknown as Record<string, string & number & JsonObject[]>[]).map((item) => ({
    deed,
    workItemId: item['id'] ?? '',
    executionId: item['execution_id'] ?? '',
    key: item['idempotency_key'] ?? '',
    attempt: item['attempt'] ?? -1,
    fence: item['lease_fence'] ?? -1,
    tool: item['tool'] ?? null,
    queueName: item['queue'] ?? 'default',
    turn: item['turn'] ?? null,
    journal: item['journal'] ?? null,
    input: inputIn(item['payload']),
  }));
}

function inputIn(payload: JsonValue | undefined): JsonValue {
  return (isJsonObject(payload) ? payload['input'] : null) ?? null;
}

function checkFences(claims: readonly Claim[]): Violation[] {
  const seen = new Map<number, Claim>();
  const highest = highestBefore(claims);
  return violations('fences are never shared, and strictly increase', claims, (claim) => {
    const twin = seen.get(claim.fence);
    seen.set(claim.fence, claim);
    const about = { work_item: claim.workItemId, fence: claim.fence, deed: claim.deed.begun };
    if (twin !== undefined) return { about, saw: `it was given with ${twin.workItemId} as well` };
    const before = highest(claim.deed.begun);
    return before <= claim.fence ? null : { about, saw: `fence ${before} was given before` };
  });
}

/** The highest fence that was answered before a moment. A binary search, because runs are long. */
function highestBefore(claims: readonly Claim[]): (moment: number) => number {
  const answered = claims
    .map(({ deed, fence }) => ({ ended: deed.ended ?? Infinity, fence }))
    .toSorted((one, other) => one.ended - other.ended);
  let highest = 0;
  const highestUpTo = answered.map(({ fence }) => (highest = Math.max(highest, fence)));
  return (moment) => {
    let [low, high] = [0, answered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((answered[middle]?.ended ?? Infinity) < moment) low = middle + 1;
      else high = middle;
    }
    return highestUpTo[low - 1] ?? 0;
  };
}
