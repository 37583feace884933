import type { DefinitionId } from '../../../domain/ids.ts';
import { filterKey, queueKeysOf } from '../../../domain/work/claim-filter.ts';
import type { ClaimedItem, Claimer, ClaimScope, JointClaim } from '../../work.ts';
import type { ClaimWatermarks, QueuePosition } from './claim-watermarks.ts';
import { type FairTurns, fairKeysOf, type TakenTurn } from '../../rows/fair-turns.ts';
import { CLAIM_FAIR, CLAIM_FAIR_OF_TOOLS, LOWEST_TAG } from './claim-fair-sql.ts';
import { CLAIM_START, claimStartOf, claimText, isClaimable, surplusOver } from './claim-sql.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { decodeLease, decodeRecord, type LeaseRecord, type RecordColumns } from '../rows.ts';
import { CLAIM_OF_TOOL, CLAIM_OF_TOOLS } from './claim-tools-sql.ts';
import type { ToolsToClaim, WaitingTools } from './waiting-tools.ts';

/*
 * A claim moves rows from `work_queue` to `leases` in one statement. It never waits: it skips
 * rows that another transaction has locked. It locks no execution, so a commit that revokes items
 * must expect concurrent claims (see `commit/sql.ts`).
 */

export interface ClaimMeans {
  readonly pool: PostgresPool;
  readonly watermarks: ClaimWatermarks;
  readonly waitingTools: WaitingTools;
}

/** One statement for all claimers, which get its items in their order. */
export async function claim(
  { pool, watermarks, waitingTools }: ClaimMeans,
  request: JointClaim,
): Promise<readonly (readonly ClaimedItem[])[]> {
  const keys = queueKeys(request);
  const places = placesOf(request.claimers);
  if (keys.length === 0 || places.length === 0) return request.claimers.map(() => []);
  const { tools = null } = request;
  const filter = filterKey({ tools });
  const parts = keys.map((queueKey) => ({
    queueKey,
    scope: request.shards === null ? '' : request.shards.join(),
    filter,
  }));
  const starts = parts.map((part) => watermarks.start(part, false));
  const { turns } = watermarks;
  const isFair = turns.mayWait(keys, filter);
  const fairKeys = isFair ? fairKeysOf(keys) : [];
  const findTools = (positions: readonly QueuePosition[]) =>
    tools === null
      ? null
      : waitingTools({ ...placesToRead(keys, positions, fairKeys), globs: tools });
  // A hint announces items that are added while this claim runs, and the next claim finds them.
  const named = await findTools(starts);
  const hasShares = isFair && named?.shared.length !== 0;
  const from = { request, keys, fairKeys, tools: named, turns: hasShares ? turns : null };
  const looked = isFair ? turns.looking(keys, filter) : null;
  const claimFrom = async (some: Pick<ClaimFrom, 'places' | 'starts'>) => {
    const claiming = { ...from, ...some };
    const { items, lasts, hasFound } = await claimStatement(pool, claiming);
    looked?.(hasFound);
    for (const part of parts) {
      const last = lasts.get(part.queueKey);
      if (last !== undefined) watermarks.noteClaimed(part, last);
    }
    return items;
  };
  const claimed = await claimFrom({ places, starts });
  const emptyHanded = withoutItem(places, claimed.length);
  if (emptyHanded.length > 0) {
    const again = parts.map((part) => watermarks.start(part, true));
    if (again.some((start, index) => start.seq < (starts[index]?.seq ?? 0))) {
      from.tools = await findTools(again);
      const found = await claimFrom({
        places: emptyHanded,
        starts: again,
      }).catch((error: unknown) => {
        // Items claimed so far are leased, and would only expire.
        if (claimed.length > 0) return [];
        throw error;
      });
      const dealt = found.map((item, index) => ({ item, place: emptyHanded[index] }));
      return dealOut(request.claimers, [...dealOf(places, claimed), ...dealt]);
    }
  }
  return dealOut(request.claimers, dealOf(places, claimed));
}

/**
 * The claimer of each item, in the order of the items: each claimer has as many places as its
 * limit.
 */
function placesOf(claimers: readonly Claimer[]): readonly Place[] {
  return claimers.flatMap(({ workerId, limit, claimId = null }, claimer) =>
    Array.from({ length: Math.max(0, limit) }, () => ({ claimer, workerId, claimId })),
  );
}

interface Place {
  readonly claimer: number;
  readonly workerId: string;
  readonly claimId: string | null;
}

/** The places of claimers that got nothing when `count` items went to the first places. */
function withoutItem(places: readonly Place[], count: number): readonly Place[] {
  const lastServed = count === 0 ? -1 : (places[count - 1]?.claimer ?? -1);
  return places.filter(({ claimer }) => claimer > lastServed);
}

interface Dealt {
  readonly item: ClaimedItem;
  readonly place: Place | undefined;
}

function dealOf(places: readonly Place[], items: readonly ClaimedItem[]): readonly Dealt[] {
  return items.map((item, index) => ({ item, place: places[index] }));
}

function dealOut(
  claimers: readonly Claimer[],
  dealt: readonly Dealt[],
): readonly (readonly ClaimedItem[])[] {
  return claimers.map((_, claimer) =>
    dealt.filter(({ place }) => place?.claimer === claimer).map(({ item }) => item),
  );
}

/** Tools are looked for among the shares beside the queues as well. */
function placesToRead(
  keys: readonly string[],
  starts: readonly QueuePosition[],
  fairKeys: readonly string[],
): { readonly keys: readonly string[]; readonly starts: readonly QueuePosition[] } {
  const lowest = fairKeys.map(() => ({ priority: 0, seq: LOWEST_TAG }));
  return { keys: [...keys, ...fairKeys], starts: [...starts, ...lowest] };
}

/** The engine's queue serves all tenants; each worker queue belongs to one tenant. */
function queueKeys(scope: ClaimScope): readonly string[] {
  const { queues, tenantId } = scope;
  const asked = queues.filter((queue) => queue === 'engine' || tenantId !== null);
  return queueKeysOf({ ...scope, queues: asked });
}

interface ClaimFrom {
  readonly request: ClaimScope;
  readonly keys: readonly string[];
  /** The queues of shares beside them; none if it does not look there. */
  readonly fairKeys: readonly string[];
  /** Null: all. */
  readonly tools: ToolsToClaim | null;
  readonly places: readonly Place[];
  readonly starts: readonly QueuePosition[];
  /** Null: it does not look at shares. */
  readonly turns: FairTurns | null;
}

async function claimStatement(
  pool: PostgresPool,
  claim: ClaimFrom,
): Promise<{
  readonly items: readonly ClaimedItem[];
  /** The last item taken from each queue. */
  readonly lasts: ReadonlyMap<string, QueuePosition>;
  /** Shares wait beside the queues. */
  readonly hasFound: boolean;
}> {
  if (claim.turns === null && claim.tools?.own.length === 0) {
    return { items: [], lasts: new Map(), hasFound: false };
  }
  const { request, places } = claim;
  const workerIds = places.map(({ workerId }) => workerId);
  const claimIds = places.some(({ claimId }) => claimId !== null)
    ? places.map(({ claimId }) => claimId)
    : null;
  const common = [workerIds, request.leaseMs, places.length, request.shards, claimIds];
  const { statement, values } = statementOf(claim);
  const rows = await pool.run<ClaimRecord>(statement, [...common, ...values]);
  const lasts = new Map<string, QueuePosition>(
    rows.map(({ queue_key: key, priority, seq }) => [key, { priority, seq }]),
  );
  claim.turns?.took(rows.map(readTurn).toSorted((left, right) => left.tag - right.tag));
  return {
    items: rows.map((row) => ({
      ...decodeClaim(row),
      ...(row.left_nothing === true && { leftNothing: true }),
    })),
    lasts,
    hasFound: rows.some((row) => row.has_shares === true),
  };
}

function readTurn(row: ClaimRecord): TakenTurn {
  const { queue_key: queueKey, priority, seq, fair_tag: tag } = row;
  const name = hasRecord(row) ? row.queue_name : null;
  return { queueKey, priority, tag: tag ?? seq, sharedName: seq < 0 ? (name ?? '') : null };
}

function statementOf({ keys, fairKeys, tools, starts, turns }: ClaimFrom): {
  readonly statement: Statement;
  readonly values: readonly unknown[];
} {
  const [key, ...otherKeys] = keys;
  const [start] = starts;
  const [tool, ...otherTools] = tools?.own ?? [];
  const all = [keys, starts.map(({ priority }) => priority), starts.map(({ seq }) => seq)];
  if (turns !== null) {
    const lasts = keys.map((of) => turns.last(of));
    const beside = [lasts.map(({ priority }) => priority), lasts.map(({ tag }) => tag)];
    const values = [...all, fairKeys, ...beside];
    return tools === null
      ? { statement: CLAIM_FAIR, values }
      : { statement: CLAIM_FAIR_OF_TOOLS, values: [...values, tools.own, tools.shared] };
  }
  if (otherKeys.length === 0 && start !== undefined) {
    const one = [key, start.priority, start.seq];
    if (tools === null) return { statement: CLAIM_ONE, values: one };
    if (otherTools.length === 0) return { statement: CLAIM_OF_TOOL, values: [...one, tool] };
  }
  if (tools === null) return { statement: CLAIM_MANY, values: all };
  return { statement: CLAIM_OF_TOOLS, values: [...all, tools.own] };
}

interface ClaimRecord extends ClaimedRecord {
  readonly queue_key: string;
  readonly seq: number;
  readonly left_nothing: boolean | null;
  /** Absent: the claim does not look at shares. */
  readonly fair_tag?: number | null;
  readonly has_shares?: boolean;
}

export interface ClaimedRecord extends LeaseRecord, Partial<Record<keyof RecordColumns, unknown>> {
  readonly definition_id: DefinitionId | null;
  readonly has_recorded_output: boolean;
}

export function decodeClaim(row: ClaimedRecord): ClaimedItem {
  return {
    ...decodeLease(row),
    record: hasRecord(row) ? decodeRecord(row) : null,
    definitionId: row.definition_id,
    hasRecordedOutput: row.has_recorded_output,
  };
}

function hasRecord(row: ClaimedRecord): row is ClaimedRecord & RecordColumns {
  return row.tool !== null;
}

/** It locks only the rows that it takes, because `limit` is applied above the locking. */
const CLAIM_ONE: Statement = {
  name: 'claim-one',
  writes: true,
  text: claimText(
    `
    select q.work_item_id
    from work_queue q
    where ${isClaimable({ item: 'q', from: CLAIM_START })}
    order by q.priority, q.seq
    limit $3
    for update skip locked`,
    // The snapshot still has the rows that were taken.
    {
      left: `(
        select count(*)
        from (
          select
          from work_queue q
          where ${isClaimable({ item: 'q', from: CLAIM_START })}
          limit $3 + 1
        ) queued
      ) <= (select count(*) from taken)`,
    },
  ),
};

/*
 * No index gives the order over several queues, and the statement must not lock more rows than the
 * limit. So it reads the heads of the queues without locks, merges them, and then locks them one by
 * one until it has enough. The surplus covers items that other claims take meanwhile.
 */
const CLAIM_MANY: Statement = {
  name: 'claim-many',
  writes: true,
  text: claimText(`
    select q.work_item_id
    from work_queue q
    where q.work_item_id = any(array(
      select h.work_item_id
      from unnest($6::text[], $7::int4[], $8::int8[]) as a (queue_key, priority, seq)
      cross join lateral (
        select c.work_item_id, c.priority, c.seq
        from work_queue c
        where ${isClaimable({ item: 'c', from: claimStartOf('a'), anyShard: `c.queue <> 'engine'` })}
        order by c.priority, c.seq
        limit ${surplusOver('$3')}
      ) h
    ))
    order by q.priority, q.seq
    limit $3
    for update skip locked`),
};
