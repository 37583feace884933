import { type Actor, type Caller, type ListedRef, tenantToCheck } from '../caller.ts';
import { badRequest } from '../../domain/errors.ts';
import { deriveStatus } from '../../domain/execution/derive-status.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { PauseScope } from '../../domain/execution/event-payloads.ts';
import { evolve } from '../../domain/execution/evolve.ts';
import type { ExecutionState, Pause } from '../../domain/execution/state.ts';
import { type ExecutionStatus, isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { StandingPause } from '../../domain/workflow/workflow-pause.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { ExecutionRow } from '../../store/store.ts';
import { changeExecution } from '../commit/change-execution.ts';
import { newEvent } from '../commit/commit-plan.ts';
import type { EngineDeps } from '../deps.ts';

/*
 * Pausing and resuming an execution.
 *
 * A pause is a fact: while it lasts, `decide` derives no consequences. Its commit also holds items
 * that wait for a worker or a retry, so nothing is handed out once the caller has the answer.
 * Leased items may still be settled, and their results are recorded. Timers fire, people decide and
 * events come in as before, and all of it takes effect after a resume: its commit releases the held
 * items and marks the execution for a scheduler.
 *
 * Both depend on the sequence that they were decided on, like every change. So if a pause races
 * with a decision, one comes first, and the other is made again on the new state.
 *
 * A pause of the workflow is separate from one of the execution alone (`scope`): with both, the
 * execution continues when both have ended.
 */

export interface PauseAnswer {
  readonly executionId: ExecutionId;
  readonly status: ExecutionStatus;
  /** The pauses that hold it now. */
  readonly pauses: readonly Pause[];
}

/** Pausing what is paused already changes nothing. */
export function pauseExecution(
  deps: EngineDeps,
  caller: Caller,
  { reason, ...ref }: ListedRef & { readonly reason: string | null },
): Promise<PauseAnswer> {
  return changeExecution<PauseAnswer>(deps, {
    tenantId: tenantToCheck(caller, ref),
    executionId: ref.executionId,
    propose: (state, { row }) => {
      checkLive(row);
      if (state.pauses.some(({ scope }) => scope === 'execution')) {
        return { commit: null, answer: answerOf(row, state) };
      }
      return commitOfPause(row, state, { scope: 'execution', by: caller.actorId, reason });
    },
  });
}

export function resumeExecution(
  deps: EngineDeps,
  caller: Caller,
  ref: ListedRef,
): Promise<PauseAnswer> {
  return changeExecution<PauseAnswer>(deps, {
    tenantId: tenantToCheck(caller, ref),
    executionId: ref.executionId,
    propose: (state, { row }) => {
      checkLive(row);
      if (state.pauses.every(({ scope }) => scope !== 'execution')) {
        return { commit: null, answer: answerOf(row, state) };
      }
      return commitOfResume(row, state, { scopes: ['execution'], actorId: caller.actorId });
    },
  });
}

/**
 * The commit by which the pause of its workflow holds an execution; null: it does not. One that is
 * ending is left alone: nothing of it is left to do but its finalizers, which clean up.
 */
export function commitOfWorkflowHold(
  row: ExecutionRow,
  state: ExecutionState,
  pause: StandingPause | null,
): CommitPlan | null {
  if (pause === null || isTerminal(row.status) || state.ending !== null) return null;
  if (isHeldByWorkflow(state)) return null;
  const { by, reason } = pause;
  const { commit } = commitOfPause(row, state, { scope: 'workflow', by, reason });
  return { ...commit, workflowHold: { workflowId: row.workflowId, is: 'put' } };
}

/** The commit that gives it back; null: the pause of its workflow does not hold it. */
export function commitOfWorkflowRelease(
  row: ExecutionRow,
  state: ExecutionState,
  { actorId }: Actor,
): CommitPlan | null {
  if (isTerminal(row.status) || !isHeldByWorkflow(state)) return null;
  const { commit } = commitOfResume(row, state, { scopes: ['workflow'], actorId });
  return { ...commit, workflowHold: { workflowId: row.workflowId, is: 'lift' } };
}

export function isHeldByWorkflow({ pauses }: Pick<ExecutionState, 'pauses'>): boolean {
  return pauses.some(({ scope }) => scope === 'workflow');
}

export function pausedByWorkflow({ by, reason }: StandingPause): ExecutionEvent {
  return pausedEvent({ scope: 'workflow', by, reason });
}

export interface ProposedPause {
  readonly commit: CommitPlan;
  readonly answer: PauseAnswer;
}

export function commitOfPause(
  row: ExecutionRow,
  state: ExecutionState,
  pause: Pause,
): ProposedPause {
  const { commit, answer } = propose({ row, state }, [pausedEvent(pause)], pause.by);
  return { answer, commit: { ...commit, waitingItems: 'hold' } };
}

function pausedEvent({ scope, by, reason }: Pause): ExecutionEvent {
  const payload = { scope, by, ...(reason !== null && { reason }) };
  return { kind: 'ExecutionPaused', nodeId: null, payload };
}

export function commitOfResume(
  row: ExecutionRow,
  state: ExecutionState,
  {
    scopes,
    actorId,
    reason,
  }: Actor & {
    readonly scopes: readonly PauseScope[];
    /** Absent: the actor asked for it. */
    readonly reason?: string | undefined;
  },
): ProposedPause {
  const resumed = scopes.map((scope): ExecutionEvent => ({
    kind: 'ExecutionResumed',
    nodeId: null,
    payload: { scope, by: actorId, ...(reason !== undefined && { reason }) },
  }));
  const { commit, answer } = propose({ row, state }, resumed, actorId);
  // Another pause may hold it still.
  if (answer.pauses.length > 0) return { answer, commit };
  return { answer, commit: { ...commit, waitingItems: 'release', runnable: 'mark' } };
}

function propose(
  { row, state }: { readonly row: ExecutionRow; readonly state: ExecutionState },
  events: readonly ExecutionEvent[],
  actorId: string,
): ProposedPause {
  const next = evolve({
    state,
    events: events.map((event, index) => ({ ...event, sequence: state.sequence + index + 1 })),
    plan: null,
  });
  const status = deriveStatus(next);
  return {
    commit: {
      ...emptyCommit(row),
      expectedSequence: row.lastSequence,
      events: events.map((event) => newEvent(event, actorId)),
      status,
    },
    answer: answerOf({ ...row, status }, next),
  };
}

function answerOf({ executionId, status }: ExecutionRow, { pauses }: ExecutionState): PauseAnswer {
  return { executionId, status, pauses };
}

function checkLive({ executionId, status }: ExecutionRow): void {
  if (isTerminal(status)) throw badRequest(`execution ${executionId} is ${status}`);
}
