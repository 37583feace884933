import type { DefinitionId } from '../../domain/ids.ts';
import type { Tenant } from '../../domain/tenant.ts';
import {
  type BornLease,
  type CommitPlan,
  type CommitVerdict,
  leasesHere,
  type NewWorkItem,
} from '../../store/commit.ts';
import { isAmbiguous } from '../../store/store.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { releaseUnworked } from './release-work-item.ts';
import type { BornItem, ReservedPlace } from './waiting-claims.ts';

/** A commit whose new items are leased to claims that wait in this process, as far as there are any. */
interface OfferedItems<Plan extends CommitPlan = CommitPlan> {
  readonly commit: Plan;
  /** The places that the last leases of the commit take, in their order. */
  readonly places: readonly ReservedPlace[];
}

type Accepted = Extract<CommitVerdict, { readonly accepted: true }>;

/**
 * Commits a plan, and gives its items to the claims that wait for them here. Before that it calls
 * `onAccepted`, with the plan as it was sent.
 */
export async function commitOffering<Plan extends CommitPlan>(
  deps: UseCaseDeps,
  of: {
    readonly plan: Plan;
    readonly tenant: Tenant;
    readonly definitionId: DefinitionId;
    readonly onAccepted: (commit: Plan, verdict: Accepted) => void;
  },
): Promise<CommitVerdict> {
  const offered = offerItems(deps, of.tenant, of.plan);
  const { commit } = offered;
  const verdict = await deps.committer.commit(commit).catch((error: unknown) => {
    freePlaces(offered);
    if (leasesHere(commit) && isAmbiguous(error)) {
      deps.startsHere.noteLostAnswer(commit.executionId);
    }
    throw error;
  });
  if (!verdict.accepted) {
    freePlaces(offered);
    return verdict;
  }
  try {
    of.onAccepted(commit, verdict);
  } finally {
    if (verdict.isUnserved === true) freePlaces(offered);
    else giveItems(offered, verdict, of.definitionId);
  }
  if (verdict.isUnserved === true) await putBack(deps, offered, verdict);
  return verdict;
}

/** Until the tenant is active again the items wait on their queue. */
async function putBack(
  deps: UseCaseDeps,
  { commit: { tenantId, bornLeased }, places }: OfferedItems,
  { fences }: Accepted,
): Promise<void> {
  const before = bornLeased.length - places.length;
  const items = bornLeased.slice(before).flatMap(({ ticket: { workItemId } }, index) => {
    const leaseFence = fences[before + index];
    return leaseFence === undefined ? [] : [{ workItemId, leaseFence }];
  });
  await releaseUnworked(deps, { tenantId }, items);
}

function offerItems<Plan extends CommitPlan>(
  { waitingClaims, settings }: Pick<UseCaseDeps, 'waitingClaims' | 'settings'>,
  { status }: Tenant,
  commit: Plan,
): OfferedItems<Plan> {
  if (commit.newItems.length === 0 || status !== 'active') return { commit, places: [] };
  const newItems: NewWorkItem[] = [];
  const leased: BornLease[] = [];
  const places: ReservedPlace[] = [];
  for (const item of commit.newItems) {
    const { ticket, record } = item;
    const place = record === null ? null : waitingClaims.reserve(item);
    if (place === null || record === null) newItems.push(item);
    else {
      places.push(place);
      leased.push({ ticket, record, leaseMs: settings.leaseMs, ...place.lease });
    }
  }
  if (places.length === 0) return { commit, places };
  const bornLeased = [...commit.bornLeased, ...leased];
  return { commit: { ...commit, newItems, bornLeased }, places };
}

/** The commit is accepted: each claim gets its item. */
function giveItems(
  { commit, places }: OfferedItems,
  { fences, createdAt, lastSequence: bornAt }: Accepted,
  definitionId: DefinitionId,
): void {
  const before = commit.bornLeased.length - places.length;
  places.forEach((place, index) => {
    const lease = commit.bornLeased[before + index];
    const leaseFence = fences[before + index];
    if (lease?.record === undefined || leaseFence === undefined) {
      throw new Error('an item that was given to a claim came without its lease');
    }
    const { record } = lease;
    const item = bornItem({ lease, record, leaseFence, createdAt, definitionId });
    place.give({ ...item, bornAt });
  });
}

/** No claim gets an item of the commit. */
function freePlaces({ places }: OfferedItems): void {
  for (const place of places) place.free();
}

function bornItem(of: {
  readonly lease: BornLease;
  readonly record: NonNullable<BornLease['record']>;
  readonly leaseFence: number;
  readonly createdAt: string;
  readonly definitionId: DefinitionId;
}): Omit<BornItem, 'bornAt'> {
  const { lease, record, leaseFence, createdAt, definitionId } = of;
  const { ticket, leaseTo, leaseMs } = lease;
  const { nodeTimeoutMs } = ticket;
  const begun = Date.parse(createdAt);
  const endOf = (ms: number) => new Date(begun + ms).toISOString();
  return {
    ticket,
    leaseFence,
    workerId: leaseTo,
    claimedAt: createdAt,
    expiresAt: endOf(Math.min(leaseMs, nodeTimeoutMs ?? leaseMs)),
    deadlineAt: nodeTimeoutMs === null ? null : endOf(nodeTimeoutMs),
    timedOut: false,
    record,
    definitionId,
    // Its visit begins with it, so nothing can be recorded under its key.
    hasRecordedOutput: false,
  };
}
