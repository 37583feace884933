import type { Reader } from '../caller.ts';
import type { WorkerQueue } from '../../domain/work/work-item.ts';
import type { TenantId } from '../../domain/ids.ts';
import {
  filterKey,
  queueNamesOf,
  servesTool,
  type ClaimFilter,
} from '../../domain/work/claim-filter.ts';
import type { ClaimedItem } from '../../store/store.ts';
import type { LookReason } from '../scheduling/claim-pace.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { type TopicHint, waitForTopics } from '../wake/wait-for-topics.ts';
import { queueTopic } from '../wake/wake-for.ts';
import { type ClaimedWork, type HandedOut, handOutAll, withWholeInputs } from './hand-out-items.ts';
import { findHeld } from './repeat-claim.ts';
import { releaseUnworked } from './release-work-item.ts';
import type { WaitingClaim } from './waiting-claims.ts';

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
 * answers what it has leased before, if anything.
 */
export async function claimWork(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  deps.workerAnnouncements.note(tenantId, params);
  const held = await handOutHeld(deps, tenantId, params);
  if (held.length > 0) return held;
  const claimed = await claimNext(deps, tenantId, params);
  return claimed.length > 0 ? claimed : handOutHeld(deps, tenantId, params);
}

/** Nothing unless the claim is repeated. */
async function handOutHeld(
  deps: UseCaseDeps,
  tenantId: TenantId,
  { workerId, claimId = null, isRepeated = false, signal }: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  if (!isRepeated || claimId === null || signal.aborted) return [];
  const items = await findHeld(deps, { tenantId, workerId, claimId });
  return deliver(deps, tenantId, await handOutAll(deps, items));
}

/** Nothing: the time is over, or the caller has left. */
async function claimNext(
  deps: UseCaseDeps,
  tenantId: TenantId,
  params: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  const { filter = {} } = params;
  const topics = params.queues.flatMap((queue) =>
    queueNamesOf(filter).map((queueName) => queueTopic({ tenantId, queue, queueName })),
  );
  const key = [...topics, filterKey(filter)].join('\n');
  const began = deps.timers.now();
  const deadline = began + params.waitMs;
  let reason: LookReason | null = 'arrival';
  for (;;) {
    // An item leased to a caller who has left would only expire.
    if (reason === null || params.signal.aborted) return [];
    const hint = waitForTopics(deps, topics, (tool) => servesTool(filter, tool));
    try {
      deps.claimPace.looking(key);
      const claimed = await claimNow(deps, tenantId, params);
      deps.claimPace.looked(key, { found: claimed.length > 0, reason });
      if (claimed.length > 0) {
        deps.report.observe('claim_wait_seconds', (deps.timers.now() - began) / 1_000);
        return claimed;
      }
      const open = deps.waitingClaims.open(waitingClaim(params, topics, hint));
      reason = await untilLook(deps, { ...params, hint, key, deadline });
      const given = await handOutGiven(deps, tenantId, await open.close());
      if (given.length > 0) {
        deps.report.observe('claim_wait_seconds', (deps.timers.now() - began) / 1_000);
        return given;
      }
    } finally {
      hint.end();
    }
  }
}

function waitingClaim(
  { filter = {}, workerId, claimId = null, maxItems }: ClaimWork,
  topics: readonly string[],
  hint: TopicHint,
): WaitingClaim {
  return { topics, filter, workerId, claimId, maxItems, onGiven: () => hint.wake() };
}

/** Items that were leased to this claim from birth. */
async function handOutGiven(
  deps: UseCaseDeps,
  tenantId: TenantId,
  items: readonly ClaimedItem[],
): Promise<readonly ClaimedWork[]> {
  if (items.length === 0) return [];
  if (!(await deps.waitingClaims.isServed(tenantId))) {
    const refs = items.map(({ ticket: { workItemId }, leaseFence }) => ({
      workItemId,
      leaseFence,
    }));
    // Until the tenant is active again they wait on their queue.
    await releaseUnworked(deps, { tenantId }, refs);
    return [];
  }
  const handedOut = await handOutAll(deps, items);
  noteClaimed(deps, handedOut);
  return deliver(deps, tenantId, handedOut);
}

/** Null: the time is over, or the caller has left. */
async function untilLook(
  { timers, claimPace }: UseCaseDeps,
  given: {
    readonly hint: TopicHint;
    readonly key: string;
    readonly deadline: number;
    readonly signal: AbortSignal;
  },
): Promise<LookReason | null> {
  const { hint, key, deadline, signal } = given;
  for (;;) {
    const leftMs = deadline - timers.now();
    if (leftMs <= 0 || signal.aborted) return null;
    const untilLookMs = claimPace.untilLookMs(key);
    // Among all callers that wait for these queues, the first one past the time looks.
    if (untilLookMs <= 0) return 'poll';
    const hinted = await hint.wait({ timeoutMs: Math.min(untilLookMs, leftMs), signal });
    if (hinted) return 'hint';
  }
}

async function claimNow(
  deps: UseCaseDeps,
  tenantId: TenantId,
  params: ClaimWork,
): Promise<readonly ClaimedWork[]> {
  const claimed: ClaimedWork[] = [];
  const failures: unknown[] = [];
  for (let round = 0; round < ROUNDS_MAX && !params.signal.aborted; round += 1) {
    const before = claimed.length;
    const items = await deps.workerLeases
      .claim({ ...params, tenantId, limit: params.maxItems - before })
      .catch((error: unknown) => {
        failures.push(error);
        return [];
      });
    const handedOut = await handOutAll(deps, items);
    claimed.push(...handedOut.claimed);
    failures.push(...handedOut.failures);
    // Another round claims the next items of the queue, to replace those that were not handed out.
    if (failures.length > 0 || claimed.length - before === items.length) break;
  }
  noteClaimed(deps, { claimed, failures });
  return deliver(deps, tenantId, { claimed, failures });
}

/** Without the items of a repeated claim, which the first one counted. */
function noteClaimed({ report }: UseCaseDeps, { claimed }: HandedOut): void {
  if (claimed.length > 0) report.count('items_claimed', claimed.length);
}

/** The items leased so far would only expire, so they are returned although others failed. */
function deliver(
  deps: UseCaseDeps,
  tenantId: TenantId,
  { claimed, failures }: HandedOut,
): Promise<readonly ClaimedWork[]> {
  if (claimed.length === 0 && failures.length > 0) throw failures[0];
  for (const error of failures) deps.report.trouble('handing out an item failed', error);
  return withWholeInputs(deps, tenantId, claimed);
}
