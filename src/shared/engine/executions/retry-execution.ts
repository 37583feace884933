import type { Caller, ExecutionRef } from '../caller.ts';
import { createHash } from 'node:crypto';

import { badRequest, conflict } from '../../domain/errors.ts';
import {
  createRetrySearch,
  type Restart,
  type RetryPoint,
  type RetrySearch,
} from '../../domain/execution/retry-point.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import { type ExecutionId, executionIdFromUuid } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { foldLoaded, loadForCaller } from '../advance/load-execution.ts';
import { findLatest } from './find-latest.ts';
import { carryOn, type CarryingOn, type HistoryInput, readWholeHistory } from './fork/carry-on.ts';
import { readOriginal } from './fork/read-original.ts';

/*
 * Retrying an execution that failed or was cancelled.
 *
 * Nothing may follow the end of a history, so a retry is another execution: it begins with the last
 * state of the first one, and with tokens at the nodes that were running. If steps were undone, it
 * begins with the state from before the first of them completed. Its id is derived from
 * the first one's. So there is at most one, even for concurrent and repeated requests, and each
 * request gets its id. That execution can be retried in turn.
 */

export interface RetryExecution extends ExecutionRef {
  /** A patch of the state that the retry begins with. */
  readonly statePatch: JsonObject | null;
  /** `latest`: on the definition registered last; else on that of the execution. */
  readonly revision: 'same' | 'latest';
}

export interface RetriedExecution {
  readonly executionId: ExecutionId;
  readonly retriedFrom: ExecutionId;
}

export async function retryExecution(
  deps: UseCaseDeps,
  caller: Caller,
  params: RetryExecution,
): Promise<RetriedExecution> {
  const { tenantId } = caller;
  const asked = { tenantId, executionId: params.executionId };
  const { point, keysOf, ...prepared } = await readOriginal(deps, asked, (row) =>
    readForRetry(deps, row, params),
  );
  const { row, executionId } = prepared;
  const { executionId: retriedFrom } = row;
  const verdict = await carryOn(deps, caller, {
    ...prepared,
    carried: point.carried,
    from: {
      retried_from: {
        execution_id: retriedFrom,
        sequence: point.sequence,
        node_id: point.nodeId,
        keys_of: keysOf,
      },
    },
    request: null,
    isDerived: true,
  });
  if (!verdict.accepted) throw isRetried(row, executionId);
  return { executionId, retriedFrom };
}

type ReadForRetry = Pick<
  CarryingOn,
  'row' | 'compiled' | 'workflowPause' | 'executionId' | 'history' | 'labels'
> & { readonly point: RetryPoint; readonly keysOf: ExecutionId };

async function readForRetry(
  deps: UseCaseDeps,
  row: ExecutionRow,
  params: RetryExecution,
): Promise<ReadForRetry> {
  const { executions } = deps.store;
  const { executionId: retriedFrom, tenantId, definitionId } = row;
  checkRetriable(row);
  const executionId = retryIdOf(retriedFrom);
  if ((await executions.find(executionId, tenantId)) !== null) throw isRetried(row, executionId);
  const own = await deps.definitions.get(definitionId);
  const compiled = params.revision === 'same' ? own : await findLatest(deps, row);
  const of = { row, plan: own.plan, newPlan: compiled.plan };
  const whole = await readHistory(deps, { ...of, restart: null });
  const restart = whole.search.restart();
  if (restart !== null && 'refused' in restart) {
    throw badRequest(`execution ${retriedFrom}: ${restart.refused}`);
  }
  const { history, search } =
    restart === null ? whole : await readHistory(deps, { ...of, restart });
  const loaded = await loadForCaller({ executions, tenantId, executionId: retriedFrom });
  const state = foldLoaded(loaded, null);
  const point = search.find({
    successor: executionId,
    statePatch: params.statePatch,
    usage: state.usage,
  });
  if ('refused' in point) throw badRequest(`execution ${retriedFrom}: ${point.refused}`);
  await refuseBesideChildren(deps, row, point);
  return {
    row,
    compiled,
    workflowPause: loaded.workflowPause,
    executionId,
    history,
    labels: state.labels,
    point,
    keysOf: state.keysOf ?? retriedFrom,
  };
}

async function readHistory(
  deps: UseCaseDeps,
  {
    row,
    plan,
    newPlan,
    restart,
  }: {
    readonly row: ExecutionRow;
    readonly plan: Plan;
    readonly newPlan: Plan;
    readonly restart: Restart | null;
  },
): Promise<{ readonly history: HistoryInput; readonly search: RetrySearch }> {
  const { executionId, tenantId } = row;
  const search = createRetrySearch({ executionId, tenantId, plan, newPlan, restart });
  const history = await readWholeHistory(deps, row, { add: (piece) => search.add(piece) });
  return { history, search };
}

/** The id of the execution in which another is tried again: a UUIDv7 of the same moment. */
export function retryIdOf(executionId: ExecutionId): ExecutionId {
  const hash = createHash('sha256').update(`retry of ${executionId}`).digest('hex');
  const moment = executionId.slice('exec_'.length, 'exec_'.length + 12);
  return executionIdFromUuid(`${moment}7${hash.slice(0, 3)}8${hash.slice(3, 18)}`);
}

function checkRetriable({ executionId, status }: ExecutionRow): void {
  if (!isTerminal(status)) {
    throw badRequest(
      `execution ${executionId} is ${status}: cancel it first, or see what it waits for`,
    );
  }
  if (status === 'completed')
    throw badRequest(
      `execution ${executionId} is completed, so there is nothing to retry: fork it to run a part again`,
    );
}

/**
 * Children that the execution has given up may still undo their steps, and those completed after the steps
 * that the retry may undo. The ends of these children reach no retry, so it begins after them.
 */
async function refuseBesideChildren(
  { store }: UseCaseDeps,
  { executionId, tenantId }: ExecutionRow,
  { carried, parents }: RetryPoint,
): Promise<void> {
  if (carried.undo === undefined) return;
  const childId = await store.executions.findLiveChild({ tenantId, parents: [...parents] });
  if (childId === null) return;
  throw conflict(
    `execution ${executionId}: its child ${childId} may still undo steps, and the retry must not undo ` +
      `earlier ones before: retry it once the child has ended (see svc execution explain ${childId})`,
    { child_execution_id: childId },
  );
}

function isRetried({ executionId }: ExecutionRow, retriedAs: ExecutionId): Error {
  return conflict(
    `execution ${executionId} was retried as ${retriedAs}; if that one failed too, retry it`,
    { retried_as: retriedAs },
  );
}
