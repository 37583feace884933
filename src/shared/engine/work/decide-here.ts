import type { ExecutionEvent } from '../../domain/execution/event.ts';
import {
  type CommitPlan,
  type CommitVerdict,
  leasesHere,
  type NewEvent,
} from '../../store/commit.ts';
import { bornItems } from '../advance/born-items.ts';
import type { Held } from '../advance/held-execution.ts';
import { planDecision, type PlannedDecision } from '../advance/plan-step.ts';
import type { RunningItem } from '../advance/run-items.ts';
import { emptyTail } from '../advance/snapshot-tail.ts';
import { afterCommit } from '../commit/after-commit.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { commitOffering } from './offer-items.ts';

/*
 * The commit that ends a worker's lease also decides what follows, so a chain of items costs one commit
 * a step, without a mark, a reading or a scheduler.
 *
 * The decision is the same as a scheduler's, and is committed on the same condition: the execution is
 * still at the sequence that it was decided on. Where this process can't decide cheaply, nothing is
 * decided here. The caller then records the facts alone, and marks the execution for a scheduler:
 *
 * - many items of the execution are at work, so decisions on each of them would refuse each other;
 *   a scheduler decides on many facts at once
 * - a node of the engine follows, and this process may not run it
 * - its workflow is paused, so the scheduler holds the execution
 * - the execution has moved twice meanwhile
 */

/** With more items at work, a scheduler decides. */
const AT_WORK_MAX = 4;

/** Whether this process leaves the execution to a scheduler, for any facts. */
export function isForScheduler(held: Held): boolean {
  return held.workflowPause !== null || isCrowded(held);
}

function isCrowded({ state }: Held): boolean {
  if (state.live.size <= AT_WORK_MAX) return false;
  let atWork = 0;
  for (const { phase } of state.live.values()) if (phase === 'work') atWork += 1;
  return atWork > AT_WORK_MAX;
}

/** Null: a scheduler must decide. It sets `held` to the tenant whose policy the decision used. */
export async function decideHere(
  deps: UseCaseDeps,
  held: Held,
  given: {
    readonly facts: readonly ExecutionEvent[];
    /** The same facts as they are stored. */
    readonly stored: readonly NewEvent[];
    /** The leases that the facts end. */
    readonly settles: readonly Pick<RunningItem, 'ticket' | 'leaseFence'>[];
  },
): Promise<PlannedDecision | null> {
  const { executionId, tenantId } = held.row;
  held.tenant = await deps.tenants.get(tenantId);
  const leaseTo = deps.startsHere.leaseTo(shardOf(executionId));
  const planned = await planDecision(deps, held, { ...given, leaseTo });
  return planned.commit === null || needsScheduler(planned.commit) ? null : planned;
}

/** Nodes of the engine follow, and this process does not run them. Below a quota they wait in any case. */
function needsScheduler({ newItems }: CommitPlan): boolean {
  return newItems.some(({ ticket, record }) => record === null && ticket.queueName === undefined);
}

/** Commits facts with what follows from them, and leases the next items to claims that wait here. */
export async function commitDecided(
  deps: UseCaseDeps,
  held: Held,
  planned: PlannedDecision,
): Promise<CommitVerdict> {
  const { executionId, definitionId } = held.row;
  deps.heldExecutions.drop(executionId);
  return commitOffering(deps, {
    plan: planned.commit,
    tenant: held.tenant,
    definitionId,
    onAccepted: (commit, verdict) => accept(deps, held, { ...planned, commit, verdict }),
  });
}

function accept(
  deps: UseCaseDeps,
  held: Held,
  of: PlannedDecision & {
    readonly verdict: Extract<CommitVerdict, { readonly accepted: true }>;
  },
): void {
  const { decision, commit, tail } = of;
  const { fences, createdAt } = of.verdict;
  const { row } = held;
  const next: Held = {
    ...held,
    state: decision.next,
    rowStatus: decision.next.status,
    tail: commit.snapshot === null ? tail : emptyTail(commit.snapshot.length),
  };
  deps.heldExecutions.set(next);
  if (leasesHere(commit)) {
    deps.startsHere.begin(next, { isMarked: decision.more, items: bornItems(commit, fences) });
  }
  afterCommit(deps, { commit, row, committedAt: createdAt, state: next.state });
}
