import type { Reader } from '../caller.ts';
import type { WorkerQueue } from '../../domain/work/work-item.ts';
import type { TenantId } from '../../domain/ids.ts';
import { fairKeyOf } from '../../domain/work/fair-queue.ts';
import {
  filterKey,
  queueKeysOf,
  servesTool,
  type ClaimFilter,
} from '../../domain/work/claim-filter.ts';
import type { LookReason } from '../scheduling/claim-pace.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { type TopicHint, waitForTopics } from '../wake/wait-for-topics.ts';
import { topicOfKey } from '../wake/wake-for.ts';
import {
  type ClaimedWork,
  deliver,
  type HandedOut,
  handOutAll,
  reportNotHandedOut,
} from './hand-out-items.ts';
import { findHeld } from './repeat-claim.ts';
import type { FollowedNews } from './queue-news.ts';
import type { BornItem, WaitingClaim } from './waiting-claims.ts';

export interface ClaimWork {
  readonly workerId: string;
  /** Known worker queues only, at least one. */
  readonly queues: readonly WorkerQueue[];
  /** Which named queues of these types, and which tools; absent: no named queue, and all tools. */
  readonly filter?: ClaimFilter;
  readonly maxItems: number;
  /** Long poll: how long to wait for an item; 0 answers at once. */
  readonly waitMs: number;
  /** Aborted when the caller goes away or the process drains. */
  readonly signal: AbortSignal;
  /** A UUID by which a repeated claim finds what this one leased; null or absent: none does. */
  readonly claimId?: string | null;
  /** The worker has sent the claim before, and got no answer. */
  readonly isRepeated?: boolean;
  /** The worker stops: the claim leases nothing new, and only a repeated one gets what it has leased before. */
  readonly isLast?: boolean;
  /**
   * Serves the reports that the worker sends with the claim. They come first, and an item that follows
   * from them may be leased to this claim from birth. It must not reject.
   */
  readonly carries?: () => Promise<void>;
  /** For `GET /workers`. */
  readonly host: string;
  readonly version: string;
}

/** The most rounds of one claim when items could not be handed out; callers claim again. */
const ROUNDS_MAX = 100;

/**
 * Leases the next items on the requested queues that the filter admits, and waits for one if the
 * caller wants to. An item with a recorded result is not handed out: the result is replayed. An
 * item that a policy now blocks is not handed out either (see `judge-claimed.ts`). A repeated claim
 * answers what it has leased before, if anything. The last claim of a worker leases nothing.
 */
export function claimWork(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  const { workerAnnouncements } = deps;
  if (params.isLast === true) workerAnnouncements.withdraw(tenantId, params.workerId);
  else workerAnnouncements.note(tenantId, params);
  // Thousands wait here, so a claim that is no repeated one has no frame of its own.
  return params.isRepeated === true
    ? claimAgain(deps, tenantId, params)
    : claimNew(deps, tenantId, params);
}

function claimNew(
  deps: UseCaseDeps,
  tenantId: TenantId,
  params: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  return params.isLast === true ? claimNothing(params) : claimNext(deps, tenantId, params);
}

async function claimNothing({ carries }: ClaimWork): Promise<readonly ClaimedWork[]> {
  await carries?.();
  return [];
}

async function claimAgain(
  deps: UseCaseDeps,
  tenantId: TenantId,
  params: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  const held = await handOutHeld(deps, tenantId, params);
  if (held.length > 0) {
    await params.carries?.();
    return held;
  }
  const claimed = await claimNew(deps, tenantId, params);
  return claimed.length > 0 ? claimed : handOutHeld(deps, tenantId, params);
}

/** The items that the claim has leased before, and still holds. */
async function handOutHeld(
  deps: UseCaseDeps,
  tenantId: TenantId,
  { workerId, claimId = null, signal, filter }: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  if (claimId === null || signal.aborted) return [];
  const items = await findHeld(deps, { tenantId, workerId, claimId });
  return deliver(deps, tenantId, await handOutAll(deps, items, filter?.buildId));
}

/** Nothing: the time is over, or the caller has left. */
async function claimNext(
  deps: UseCaseDeps,
  tenantId: TenantId,
  params: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  const { filter = {} } = params;
  const keys = queueKeysOf({ ...filter, tenantId, queues: params.queues });
  const topics = [...keys, ...keys.map(fairKeyOf)].map(topicOfKey);
  const key = [...topics, filterKey(filter)].join('\n');
  const accepts = (tool: string) => servesTool(filter, tool);
  const began = deps.timers.now();
  const news = deps.queueNews.follow({ key, topics, accepts });
  const claiming = { tenantId, topics, key, accepts, news, deadline: began + params.waitMs };
  try {
    const given = await carry(deps, params, claiming);
    const claimed = given.length > 0 ? given : await lookAndWait(deps, params, claiming);
    if (claimed.length > 0) {
      deps.report.observe('claim_wait_seconds', (deps.timers.now() - began) / 1_000);
    }
    return claimed;
  } finally {
    news.end();
    if (params.signal.aborted) deps.workerAnnouncements.forget(tenantId, params.workerId);
  }
}

interface Claiming {
  readonly tenantId: TenantId;
  readonly topics: readonly string[];
  /** The same for claims on the same queues and tools. */
  readonly key: string;
  readonly accepts: (tool: string) => boolean;
  readonly news: FollowedNews;
  readonly deadline: number;
}

/**
 * Serves the reports of the claim. Items that wait on its queues come first; only the places that are
 * left may get an item that follows from a report.
 */
async function carry(
  deps: UseCaseDeps,
  params: ClaimWork,
  claiming: Claiming,
): Promise<readonly ClaimedWork[]> {
  const { carries } = params;
  if (carries === undefined) return [];
  const { tenantId, topics, news } = claiming;
  const found = news.isEmpty() ? [] : await lookFirst(deps, params, { ...claiming, carries });
  const maxItems = params.maxItems - found.length;
  const open =
    maxItems > 0 && news.isEmpty()
      ? deps.waitingClaims.open(waitingClaim({ ...params, maxItems }, topics, () => undefined))
      : null;
  await carries();
  if (open === null) return found;
  try {
    const items = await open.close();
    return [...found, ...(await handOutGiven(deps, params, { tenantId, items }))];
  } catch (error) {
    if (found.length === 0) throw error;
    // The items found are leased to the worker, and would only expire.
    reportNotHandedOut(deps, error);
    return found;
  }
}

/** Its failure is no reason to lose the reports. */
async function lookFirst(
  deps: UseCaseDeps,
  params: ClaimWork,
  claiming: Claiming & { readonly carries: () => Promise<void> },
): Promise<readonly ClaimedWork[]> {
  try {
    return await look(deps, params, { ...claiming, reason: 'arrival' });
  } catch (error) {
    await claiming.carries();
    throw error;
  }
}

async function lookAndWait(
  deps: UseCaseDeps,
  params: ClaimWork,
  claiming: Claiming,
): Promise<readonly ClaimedWork[]> {
  const { tenantId, topics, key, accepts, news } = claiming;
  let reason = firstReason(deps, params, claiming);
  for (;;) {
    // An item leased to a caller who has left would only expire.
    if (reason === null || params.signal.aborted) return [];
    const hint = waitForTopics(deps, topics, accepts);
    try {
      if (reason !== 'known') {
        const claimed = await look(deps, params, { tenantId, key, news, reason });
        if (claimed.length > 0) return claimed;
      }
      const open = deps.waitingClaims.open(waitingClaim(params, topics, () => hint.wake()));
      reason = await untilLook(deps, { ...claiming, hint, signal: params.signal });
      const given = await handOutGiven(deps, params, { tenantId, items: await open.close() });
      if (given.length > 0) return given;
    } finally {
      hint.end();
    }
  }
}

/**
 * `known`: the queues are empty as far as hints tell, so the claim does not look. It waits long enough
 * for a look by the clock, or it has carried a report, and its worker claims again.
 */
function firstReason(
  { claimPace }: UseCaseDeps,
  { waitMs, carries }: ClaimWork,
  { news, key }: Claiming,
): LookReason | 'known' | null {
  if (!news.isEmpty()) return 'arrival';
  if (waitMs === 0 && carries !== undefined) return null;
  return claimPace.untilLookMs(key) < waitMs ? 'known' : 'arrival';
}

async function look(
  deps: UseCaseDeps,
  params: ClaimWork,
  of: Pick<Claiming, 'tenantId' | 'key' | 'news'> & { readonly reason: LookReason },
): Promise<readonly ClaimedWork[]> {
  const { tenantId, key, news, reason } = of;
  deps.claimPace.looking(key);
  const looked = news.looking();
  const { handedOut, leftNothing } = await claimNow(deps, tenantId, params);
  looked({ leftNothing });
  const claimed = await deliver(deps, tenantId, handedOut);
  deps.claimPace.looked(key, { found: claimed.length > 0, reason });
  return claimed;
}

function waitingClaim(
  { filter = {}, workerId, claimId = null, maxItems }: ClaimWork,
  topics: readonly string[],
  onGiven: () => void,
): WaitingClaim {
  return { topics, filter, workerId, claimId, maxItems, onGiven };
}

/** Items that were leased to this claim from birth. */
async function handOutGiven(
  deps: UseCaseDeps,
  { filter }: ClaimWork,
  of: { readonly tenantId: TenantId; readonly items: readonly BornItem[] },
): Promise<readonly ClaimedWork[]> {
  const { tenantId, items } = of;
  if (items.length === 0) return [];
  const handedOut = await handOutAll(deps, items, filter?.buildId);
  noteClaimed(deps, handedOut);
  return deliver(deps, tenantId, handedOut);
}

/** Null: the time is over, or the caller has left. */
async function untilLook(
  { timers, claimPace, lookTurns }: UseCaseDeps,
  given: {
    readonly hint: TopicHint;
    readonly key: string;
    readonly deadline: number;
    readonly signal: AbortSignal;
  },
): Promise<LookReason | null> {
  const { hint, key, deadline, signal } = given;
  const leftMs = deadline - timers.now();
  if (leftMs <= 0 || signal.aborted) return null;
  if (claimPace.untilLookMs(key) <= 0) return 'poll';
  let isTurn = false;
  const leave = lookTurns.wait(key, () => {
    isTurn = true;
    hint.wake();
  });
  const isWoken = await hint.wait({ timeoutMs: leftMs, signal });
  leave();
  if (isTurn) return 'poll';
  return isWoken ? 'hint' : null;
}

async function claimNow(
  deps: UseCaseDeps,
  tenantId: TenantId,
  params: ClaimWork,
): Promise<{ readonly handedOut: HandedOut; readonly leftNothing: boolean }> {
  const claimed: ClaimedWork[] = [];
  const failures: unknown[] = [];
  let leftNothing = false;
  for (let round = 0; round < ROUNDS_MAX && !params.signal.aborted; round += 1) {
    const before = claimed.length;
    const limit = params.maxItems - before;
    const items = await deps.workerLeases
      .claim({ ...params, tenantId, limit })
      .catch((error: unknown) => {
        failures.push(error);
        return [];
      });
    const isRest = items.length < limit || items.at(-1)?.leftNothing === true;
    leftNothing = failures.length === 0 && isRest;
    const handedOut = await handOutAll(deps, items, params.filter?.buildId);
    claimed.push(...handedOut.claimed);
    failures.push(...handedOut.failures);
    // Another round claims the next items of the queue, to replace those that were not handed out.
    if (failures.length > 0 || claimed.length - before === items.length) break;
  }
  const handedOut = { claimed, failures };
  noteClaimed(deps, handedOut);
  return { handedOut, leftNothing };
}

/** Without the items of a repeated claim, which the first one counted. */
function noteClaimed({ report }: UseCaseDeps, { claimed }: HandedOut): void {
  if (claimed.length > 0) report.count('items_claimed', claimed.length);
}
