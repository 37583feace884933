import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { visitKey } from '../../domain/execution/state.ts';
import type { CommitPlan, CommitVerdict, NewEvent } from '../../store/commit.ts';
import { bornItems, leasesHere } from '../advance/born-items.ts';
import { type Held, loadHeld } from '../advance/held-execution.ts';
import { planDecision, type PlannedDecision } from '../advance/plan-step.ts';
import { emptyTail } from '../advance/snapshot-tail.ts';
import { afterCommit } from '../commit/after-commit.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { commitOffering } from './offer-items.ts';
import type { Settleable } from './worker-leases.ts';

/*
 * The commit that settles a worker's item also decides what follows, so a chain of items costs one
 * commit a step, without a mark, a reading or a scheduler.
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

export interface SettledFacts {
  readonly facts: readonly ExecutionEvent[];
  /** The same facts as they are stored. */
  readonly stored: readonly NewEvent[];
  readonly recordsOutput: CommitPlan['recordsOutput'];
}

/** With more items at work, a scheduler decides. */
const AT_WORK_MAX = 4;

/** When it was committed; null: nothing is, and the caller commits the facts alone. */
export async function settleAndDecide(
  deps: UseCaseDeps,
  found: Settleable,
  settled: SettledFacts,
): Promise<string | null> {
  const { executionId } = found.record;
  const known = deps.heldExecutions.get(executionId);
  if (known !== null && (isCrowded(known) || known.workflowPause !== null)) return null;
  if (known !== null && isAtWork(known, found)) {
    const committedAt = await settleOn(deps, { held: known, found, settled });
    if (committedAt !== 'moved') return committedAt;
  }
  const read = await loadHeld(deps, executionId);
  if (read === null || !isAtWork(read, found) || read.workflowPause !== null) return null;
  if (isCrowded(read)) {
    deps.heldExecutions.set(read);
    return null;
  }
  const committedAt = await settleOn(deps, { held: read, found, settled });
  return committedAt === 'moved' ? null : committedAt;
}

function isAtWork({ state }: Held, { record, lease }: Settleable): boolean {
  const visit = state.live.get(visitKey(record.nodeId, record.visit));
  return (
    visit?.workItemId === record.workItemId &&
    visit.phase === 'work' &&
    visit.attempt === lease.ticket.attempt
  );
}

function isCrowded({ state }: Held): boolean {
  if (state.live.size <= AT_WORK_MAX) return false;
  let atWork = 0;
  for (const { phase } of state.live.values()) if (phase === 'work') atWork += 1;
  return atWork > AT_WORK_MAX;
}

async function settleOn(
  deps: UseCaseDeps,
  of: { readonly held: Held; readonly found: Settleable; readonly settled: SettledFacts },
): Promise<string | null> {
  const { held, found, settled } = of;
  const { executionId } = held.row;
  held.tenant = await deps.tenants.get(held.row.tenantId);
  const planned = await planDecision(deps, held, {
    ...settled,
    leaseTo: deps.startsHere.leaseTo(shardOf(executionId)),
    settles: [found.lease],
  });
  if (planned.commit === null || needsScheduler(planned.commit)) return null;
  deps.heldExecutions.drop(executionId);
  const verdict = await commitOffering(deps, {
    plan: { ...planned.commit, recordsOutput: settled.recordsOutput },
    tenant: held.tenant,
    definitionId: held.row.definitionId,
    onAccepted: (commit, accepted) => {
      deps.workerLeases.forget(found.record.workItemId);
      accept(deps, held, { planned: { ...planned, commit }, verdict: accepted });
    },
  });
  if (!verdict.accepted) return verdict.reason === 'moved' ? 'moved' : null;
  return verdict.createdAt;
}

/** Nodes of the engine follow, and this process does not run them. */
function needsScheduler({ newItems }: CommitPlan): boolean {
  return newItems.some(({ record }) => record === null);
}

function accept(
  deps: UseCaseDeps,
  held: Held,
  of: {
    readonly planned: PlannedDecision;
    readonly verdict: Extract<CommitVerdict, { readonly accepted: true }>;
  },
): void {
  const { decision, commit, tail } = of.planned;
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
  const started = commit.startsExecutions.length;
  if (started > 0) deps.report.count('executions_started', started);
  afterCommit(deps, { commit, row, committedAt: createdAt });
}
