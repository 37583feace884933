import { type Actor, type Caller, type ListedRef, tenantToCheck } from '../caller.ts';
import { badRequest } from '../../domain/errors.ts';
import { cancellationEvents, terminalEvent } from '../../domain/execution/finalizers.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { type ExecutionState, isDelayed, type LiveVisit } from '../../domain/execution/state.ts';
import { onlyDeadUndos } from '../../domain/execution/undo/due-undo.ts';
import {
  awaitsChildren,
  endingChildrenOf,
  runningChildren,
} from '../../domain/execution/undo/ending-children.ts';
import type { TerminalStatus } from '../../domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { commitOfResume, isHeldByWorkflow } from './pause-execution.ts';
import { changeExecution } from '../commit/change-execution.ts';
import { findLine } from '../flow/find-flow-wait.ts';
import { newEvent } from '../commit/commit-plan.ts';
import { type CommitPlan, emptyCommit, type NewTimer, type TreeUse } from '../../store/commit.ts';
import { type ExecutionRow, StoreUnavailableError } from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';
import { childEnded, endAsked, isUnbegun, parentEnded, treeUseOf } from '../advance/family.ts';

/**
 * Cancels at once: the fact ends everything that is live and takes back its work in one
 * transaction, so that every fence it had handed out is stale when the caller has the answer. The
 * execution is over with it, unless undos or finalizers are to run first.
 */
export function cancelExecution(
  deps: EngineDeps,
  caller: Caller,
  ref: ListedRef,
): Promise<{
  readonly executionId: ExecutionId;
  /** How it ends once its undos and finalizers are done; null: it has ended. */
  readonly ending: TerminalStatus | null;
}> {
  return changeExecution(deps, {
    tenantId: tenantToCheck(caller, ref),
    executionId: ref.executionId,
    propose: async (state, { row }) => {
      const { executionId: id } = row;
      if (row.status === 'cancelled')
        return { commit: null, answer: { executionId: id, ending: null } };
      if (row.status === 'completed' || row.status === 'failed') {
        throw badRequest(`execution ${row.executionId} is ${row.status}`);
      }
      const givenUp = await commitOfGivingUp(deps, { row, state }, caller);
      const commit = givenUp ?? (await commitOfCancel(deps, { row, state }, caller));
      const ending = commit?.status === 'cancelled' ? null : (state.ending?.outcome ?? 'cancelled');
      return { commit, answer: { executionId: id, ending } };
    },
  });
}

/**
 * The commit that cancels a live execution in the given state, with its children; null: it is
 * already ending. A cancel also ends a pause.
 */
export async function commitOfCancel(
  deps: EngineDeps,
  { row, state }: { readonly row: ExecutionRow; readonly state: ExecutionState },
  by: Actor & {
    readonly tellsParent?: boolean;
    readonly reason?: string;
    /** A pause of an execution that is ending stays. */
    readonly keepsPause?: boolean;
    /** It is known to wait. Absent: the store is asked. */
    readonly waits?: true;
  },
): Promise<CommitPlan | null> {
  const { actorId, tellsParent = true, keepsPause = false, reason } = by;
  const plan = await readPlan(deps, row);
  if (state.ending !== null && plan !== null) {
    // Only undos and finalizers remain, and they must run.
    const scopes = state.pauses.map(({ scope }) => scope);
    return scopes.length === 0 || keepsPause
      ? commitOfAsking(row, state)
      : commitOfResume(row, state, { scopes, actorId, reason }).commit;
  }
  const isKnownToWait = by.waits ?? (isUnbegun(state) || isDelayed(state));
  const line = isKnownToWait ? null : await findLine(deps, state);
  const waits = isKnownToWait || line !== null;
  const cancelled = waits ? [terminalEvent('cancelled', null)] : cancellationEvents(plan, state);
  const events = cancelled.map((event) => withReason(event, reason));
  const isOver = events.at(-1)?.kind === 'WorkflowCancelled';
  const told = timersOfChildren(state, isOver);
  return {
    ...emptyCommit(row),
    expectedSequence: row.lastSequence,
    events: events.map((event) => newEvent(event, actorId)),
    status: isOver ? 'cancelled' : 'running',
    revokesAll: true,
    tree: treeOfChildren(state, told),
    leavesQueue: waits,
    ...(line !== null && { endsInLine: line }),
    startsTimers: [...told, ...(isOver && tellsParent ? childEnded(state) : [])],
    runnable: isOver ? 'clear' : 'mark',
    workflowHold: isHeldByWorkflow(state) ? { workflowId: row.workflowId, is: 'drop' } : null,
  };
}

/** The timers that cancel the children, each once. */
function timersOfChildren(state: ExecutionState, isOver: boolean): readonly NewTimer[] {
  const { live, undo } = state;
  const timers = new Map<ExecutionId, NewTimer>();
  for (const visit of live.values()) {
    const awaitedBy = !isOver && awaitsChildren(undo, visit) ? visit : null;
    for (const { childId } of runningChildren(visit)) {
      timers.set(childId, parentEnded(childId, awaitedBy));
    }
  }
  if (isOver) return [...timers.values()];
  // Children of visits that ended before: the cancel drops what they have reported.
  for (const child of endingChildrenOf(state)) {
    timers.set(child.childId, parentEnded(child.childId, child));
  }
  return [...timers.values()];
}

/**
 * The commit that asks the children again for whose ends undos wait; null: they wait for none. A
 * scheduler of an older release does not ask a child to report its end. Schedulers record the ends, as
 * many in a commit as they find together.
 */
function commitOfAsking(row: ExecutionRow, state: ExecutionState): CommitPlan | null {
  const startsTimers = endingChildrenOf(state).map((child) => endAsked(child.childId, child));
  if (startsTimers.length === 0) return null;
  return {
    ...emptyCommit(row),
    expectedSequence: row.lastSequence,
    startsTimers,
    tree: treeOfChildren(state, startsTimers),
    runnable: 'mark',
  };
}

/** How a commit uses the tree that ends children. */
function treeOfChildren(base: ExecutionState, startsTimers: readonly NewTimer[]): TreeUse | null {
  if (startsTimers.length === 0) return null;
  return treeUseOf({ base, children: 0, goesOn: false, startsTimers, descendantsMax: 0 });
}

function withReason(event: ExecutionEvent, reason: string | undefined): ExecutionEvent {
  if (reason === undefined) return event;
  switch (event.kind) {
    case 'WorkflowEnding':
      return { ...event, payload: { ...event.payload, reason } };
    case 'WorkflowCancelled':
      return { ...event, payload: { ...event.payload, reason } };
    default:
      return event;
  }
}

/**
 * The commit that ends an execution without the undos that are dead letters, if nothing else of it is
 * left; null: something is. An undo that may still run is never given up.
 */
async function commitOfGivingUp(
  deps: EngineDeps,
  { row, state }: { readonly row: ExecutionRow; readonly state: ExecutionState },
  { tenantId, actorId }: Caller,
): Promise<CommitPlan | null> {
  const plan = state.ending === null ? null : await readPlan(deps, row);
  const dead = plan && (await undosToGiveUp(deps, { plan, state, tenantId }));
  if (dead === null) return null;
  const events = dead.map(({ nodeId, visit, undoes }): ExecutionEvent => ({
    kind: 'NodeCancelled',
    nodeId,
    payload: { visit, reason: `given up: ${undoes?.error ?? ''}` },
  }));
  return {
    ...emptyCommit(row),
    expectedSequence: row.lastSequence,
    events: events.map((event) => newEvent(event, actorId)),
    runnable: 'mark',
  };
}

/** The visits that a cancel gives up, if dead letters of undos are all that is left; null: they are not. */
export async function undosToGiveUp(
  deps: EngineDeps,
  of: { readonly plan: Plan; readonly state: ExecutionState; readonly tenantId: TenantId },
): Promise<readonly LiveVisit[] | null> {
  const dead = onlyDeadUndos(of.plan, of.state);
  for (const { workItemId } of dead ?? []) {
    const item = workItemId && (await deps.store.work.find(workItemId, of.tenantId));
    if (item?.place !== 'dead_lettered') return null;
  }
  return dead;
}

/** Null: it cannot be read, so nothing of it could run any more, finalizers neither. */
async function readPlan(
  deps: EngineDeps,
  { executionId, definitionId }: ExecutionRow,
): Promise<Plan | null> {
  try {
    return (await deps.definitions.get(definitionId)).plan;
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    const ids = { execution_id: executionId };
    deps.report.trouble('an execution is cancelled without its definition', error, ids);
    return null;
  }
}
