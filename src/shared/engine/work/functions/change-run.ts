import { notFound, badRequest, protocolConflict, type SvcError } from '../../../domain/errors.ts';
import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import type { FunctionRun } from '../../../domain/execution/function-run.ts';
import { encodeState } from '../../../domain/execution/state-codec.ts';
import { type LiveVisit, visitKey } from '../../../domain/execution/state.ts';
import { parseWorkItemId, type TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import {
  type CommitPlan,
  type CommitVerdict,
  emptyCommit,
  type LeaseRef,
  type RefusalReason,
} from '../../../store/commit.ts';
import { chargeWith } from '../../advance/budgets.ts';
import type { Held } from '../../advance/held-execution.ts';
import { foldFacts } from '../../advance/mail-facts.ts';
import { addStored, emptyTail, isWorthSnapshot } from '../../advance/snapshot-tail.ts';
import type { Reader } from '../../caller.ts';
import { afterCommit } from '../../commit/after-commit.ts';
import { newEvent } from '../../commit/new-event.ts';
import { retryWhileMoved } from '../../commit/retry-while-moved.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { commitDecided } from '../decide-here.ts';
import { workerActor } from '../settle-work-item.ts';
import type { Settleable } from '../worker-leases.ts';
import { decideTurn, type TurnChange, type TurnCommit } from './decide-turn.ts';
import { knownExecution } from './known-execution.ts';
import { labelled } from './label-turn.ts';
import { reportSteps } from './report-steps.ts';

/*
 * Commits the requests of a worker for the item of a durable function:
 * `docs/reference/function-protocol.md`.
 *
 * Each change is computed from a state of the execution, and committed on two conditions: the
 * execution is still at that state's sequence, and the lease is held under its fence. If the
 * execution has moved, the change is computed again. If the lease is gone, nothing is written, and
 * the worker gets a 409. A change that ends the turn is committed with what follows from it.
 */

export interface RunRef {
  readonly workItemId: string;
  readonly leaseFence: number;
}

/** The current turn of a function. */
export interface OpenRun {
  readonly known: Held;
  readonly found: Settleable;
  /** Null: the visit is over, or no worker has the item, under any fence. */
  readonly turn: { readonly visit: LiveVisit; readonly run: FunctionRun } | null;
  /** The same run, even if no worker has the item; null: the visit is over. */
  readonly run: FunctionRun | null;
  /** The commit before was refused by the tree of executions. */
  readonly refused: RefusalReason | null;
}

export interface RunChange<Answer> {
  /** Null: the change writes nothing. */
  readonly events: readonly ExecutionEvent[] | null;
  readonly commit?: TurnCommit;
  readonly answer: Answer;
}

export interface ChangedRun<Answer> {
  readonly answer: Answer;
  readonly found: Settleable;
  /** When it was committed; null: nothing was written. */
  readonly committedAt: string | null;
}

export async function changeRun<Answer>(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: RunRef & {
    readonly propose: (open: OpenRun) => Promise<RunChange<Answer>>;
    /** The 409 of a lease that is gone. */
    readonly refuse: () => SvcError;
  },
): Promise<ChangedRun<Answer>> {
  const found = await findItem(deps, tenantId, params);
  const { executionId, workItemId } = found.record;
  let refused: RefusalReason | null = null;
  let decisionsLeft = DECISIONS_MAX;
  return retryWhileMoved(`the execution of work item ${params.workItemId}`, async () => {
    const execution = await knownExecution(deps, executionId);
    if (execution === null) throw notFound(`work item ${params.workItemId}`);
    const { held: known, isFresh } = execution;
    const open = { known, found, refused, ...runOf(known, found) };
    const change = await proposeOn(deps, open, { ...params, isFresh });
    if (change === null) return null;
    if (change.events === null) return { answer: change.answer, found, committedAt: null };
    const { events, commit = {} } = change;
    const stored = events.map((event) => newEvent(event, workerActor(found.lease)));
    const ends = { found, events, stored, commit };
    const decided = decisionsLeft > 0 ? await decideTurn(deps, known, ends) : null;
    const verdict =
      decided === null
        ? await commitFacts(deps, known, ends)
        : await commitDecided(deps, known, decided);
    if (verdict.accepted) {
      if ((commit.settles ?? []).length > 0) deps.workerLeases.forget(workItemId);
      reportSteps(deps, found, events);
      return { answer: change.answer, found, committedAt: verdict.createdAt };
    }
    deps.heldExecutions.drop(executionId);
    if (verdict.reason === 'stale' || verdict.reason === 'ended' || verdict.reason === 'missing') {
      deps.workerLeases.forget(workItemId);
      throw params.refuse();
    }
    if (decided !== null) decisionsLeft = verdict.reason === 'moved' ? decisionsLeft - 1 : 0;
    else if (verdict.reason !== 'moved') refused = verdict.reason;
    return null;
  });
}

/** If the execution has moved so often, a scheduler decides what follows from a turn. */
const DECISIONS_MAX = 2;

/**
 * Null: compute the change again. A refusal, or an answer without a commit, never comes from a state
 * in memory. If the lease is gone, that refusal comes before all others.
 */
async function proposeOn<Answer>(
  deps: UseCaseDeps,
  open: OpenRun,
  {
    propose,
    refuse,
    isFresh,
  }: {
    /** See `KnownExecution`. */
    readonly isFresh: boolean;
    readonly propose: (open: OpenRun) => Promise<RunChange<Answer>>;
    readonly refuse: () => SvcError;
  },
): Promise<RunChange<Answer> | null> {
  const { known, found } = open;
  if (!isFresh) deps.heldExecutions.drop(known.row.executionId);
  try {
    const change = labelled(open, await propose(open));
    return change.events !== null || isFresh ? change : null;
  } catch (error) {
    if (!isFresh) return null;
    if (open.turn !== null && !(await isLeased(deps, found))) throw refuse();
    throw error;
  }
}

/** The item may have lost the lease that this process handed out. */
export async function isLeased(
  { store }: UseCaseDeps,
  { record, lease }: Settleable,
): Promise<boolean> {
  const found = await store.work.find(record.workItemId, record.tenantId);
  return found?.lease?.leaseFence === lease.leaseFence;
}

/** The item, as it was handed out here or as it is read: under that fence now, or at some time. */
export async function findItem(
  deps: UseCaseDeps,
  tenantId: TenantId,
  ref: RunRef,
): Promise<Settleable> {
  const workItemId = parseWorkItemId(ref.workItemId);
  if (workItemId === null) throw notFound(`work item ${ref.workItemId}`);
  const { leaseFence } = ref;
  const known = deps.workerLeases.handedOut({ workItemId, tenantId, leaseFence });
  const found = known ?? (await deps.store.work.find(workItemId, tenantId));
  if (found === null) throw notFound(`work item ${ref.workItemId}`);
  const { record, lease, definitionId } = found;
  if (record.queue !== 'function') {
    throw badRequest(`work item ${workItemId} is not of a durable function`);
  }
  const workerId = lease?.workerId ?? '';
  const ticket = lease?.ticket ?? { ...record, ...NO_LEASE };
  const claimedAt = lease?.claimedAt ?? '';
  const isHeld = lease?.leaseFence === leaseFence;
  return {
    record,
    definitionId,
    lease: { ticket, workerId, claimedAt, leaseFence: isHeld ? leaseFence : 0 },
  };
}

/** Where an item is under no lease, so that nothing is committed. */
const NO_LEASE = {
  attempt: 0,
  priority: 0,
  nodeTimeoutMs: null,
  scheduleToStartMs: null,
};

export function runOf(
  { state }: Held,
  { record, lease }: Settleable,
): Pick<OpenRun, 'turn' | 'run'> {
  const visit = state.live.get(visitKey(record.nodeId, record.visit));
  const run = visit?.workItemId === record.workItemId ? visit.run : null;
  if (visit === undefined || run === null) return { turn: null, run };
  const isAtWork = visit.phase === 'work' && visit.signal === null && lease.leaseFence > 0;
  return { turn: isAtWork ? { visit, run } : null, run };
}

/** The change alone: nothing follows from it yet. */
async function commitFacts(
  deps: UseCaseDeps,
  known: Held,
  { events, stored, commit: change }: TurnChange,
): Promise<CommitVerdict> {
  const { row } = known;
  const next = foldFacts(known, events);
  const grown = addStored(known.tail, stored);
  const snapshot = isWorthSnapshot(grown, 'running') ? encodeState(next) : null;
  const commit: CommitPlan = {
    ...emptyCommit(row),
    expectedSequence: known.state.sequence,
    events: stored,
    snapshot,
    ...chargeWith(events),
    ...change,
  };
  const verdict = await deps.committer.commit(commit);
  if (!verdict.accepted) return verdict;
  const tail = snapshot === null ? grown : emptyTail(snapshot.length);
  deps.heldExecutions.set({ ...known, state: next, tail });
  afterCommit(deps, { commit, row, committedAt: verdict.createdAt });
  return verdict;
}

export function leaseOf({ record, lease }: Settleable): LeaseRef {
  return { workItemId: record.workItemId, leaseFence: lease.leaseFence };
}

const STALE = 'stale_fence';

export function staleFence(verdict: JsonObject): SvcError {
  return protocolConflict({ ...verdict, reason: STALE });
}
