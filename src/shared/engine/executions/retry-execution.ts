import type { Caller, ExecutionRef } from '../caller.ts';
import { createHash } from 'node:crypto';

import { badRequest, conflict, notFound } from '../../domain/errors.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { createRetrySearch, type RetrySearch } from '../../domain/execution/retry-point.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import { hasLabels } from '../../domain/execution/labels/labels.ts';
import { type ExecutionId, executionIdFromUuid } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { CompiledDefinition } from '../advance/definition-cache.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import {
  findForCaller,
  foldLoaded,
  loadForCaller,
  readEventsOf,
} from '../advance/load-execution.ts';
import { letOthersRun } from '../scheduling/in-pieces.ts';
import { beginExecution } from './begin-execution.ts';

/*
 * Retrying an execution that failed or was cancelled.
 *
 * Nothing may follow the end of a history, so a retry is another execution: it begins with the last
 * state of the first one, and with tokens at the nodes that were running. Its id is derived from
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
  const { executions } = deps.store;
  const { tenantId, actorId } = caller;
  const asked = { executions, tenantId, executionId: params.executionId };
  const row = await findForCaller(asked);
  const { executionId: retriedFrom, definitionId } = row;
  checkRetriable(row);
  const executionId = retryIdOf(retriedFrom);
  if ((await executions.find(executionId, tenantId)) !== null) throw isRetried(row, executionId);
  const own = await deps.definitions.get(definitionId);
  const compiled = params.revision === 'same' ? own : await findLatest(deps, row);
  const { input, search } = await readHistory(deps, {
    row,
    plan: own.plan,
    newPlan: compiled.plan,
  });
  const loaded = await loadForCaller(asked);
  const state = foldLoaded(loaded, null);
  const point = search.find({
    successor: executionId,
    statePatch: params.statePatch,
    usage: state.usage,
  });
  if ('refused' in point) throw badRequest(`execution ${retriedFrom}: ${point.refused}`);
  const { definition, plan } = compiled;
  const { usage } = point.carried;
  const started: Extract<ExecutionEvent, { kind: 'WorkflowStarted' }> = {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: {
      workflow_id: definition.workflowId,
      workflow_version: definition.version,
      definition_id: definition.definitionId,
      input,
      ...(hasLabels(state.labels) && { labels: state.labels }),
      retried_from: {
        execution_id: retriedFrom,
        sequence: point.sequence,
        node_id: point.nodeId,
        keys_of: state.keysOf ?? retriedFrom,
      },
      carried: point.carried,
    },
  };
  const spent = {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    costUsd: usage.cost_usd ?? 0,
  };
  const verdict = await beginExecution(deps, {
    compiled,
    workflowPause: loaded.workflowPause,
    executionId,
    tenantId,
    actorId,
    started,
    priority: row.priority,
    request: null,
    budgets: plan.budget === null ? [] : [{ account: executionId, budget: plan.budget, spent }],
    ...(Object.values(spent).some((used) => used > 0) && { charge: spent }),
    refusesUnknown: false,
    isDerived: true,
  });
  if (!verdict.accepted) throw isRetried(row, executionId);
  return { executionId, retriedFrom };
}

/** So many events are held at a time, however long the history is. */
const PAGE_EVENTS = 1_000;

async function readHistory(
  { store: { executions }, timers }: UseCaseDeps,
  {
    row,
    plan,
    newPlan,
  }: { readonly row: ExecutionRow; readonly plan: Plan; readonly newPlan: Plan },
): Promise<{ readonly input: JsonObject; readonly search: RetrySearch }> {
  const { executionId, tenantId, lastSequence } = row;
  const search = createRetrySearch({ executionId, tenantId, plan, newPlan });
  let input: JsonObject | null = null;
  let after = 0;
  while (after < lastSequence) {
    const page = await readEventsOf(executions, { row, after, limit: PAGE_EVENTS });
    const [first] = page;
    if (first?.kind === 'WorkflowStarted') input = first.payload.input;
    const last = page.at(-1);
    if (last === undefined) break;
    search.add(page);
    after = last.sequence;
    await letOthersRun(timers);
  }
  if (input === null || after < lastSequence) {
    throw new Error(`the history of ${executionId} is not whole`);
  }
  return { input, search };
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
  if (status === 'completed') throw badRequest(`execution ${executionId} is completed`);
}

function isRetried({ executionId }: ExecutionRow, retriedAs: ExecutionId): Error {
  return conflict(
    `execution ${executionId} was retried as ${retriedAs}; if that one failed too, retry it`,
    { retried_as: retriedAs },
  );
}

async function findLatest(
  deps: UseCaseDeps,
  { tenantId, workflowId }: ExecutionRow,
): Promise<CompiledDefinition> {
  const found = await deps.definitions.latest({ tenantId, workflowId, version: null });
  if (found === null) throw notFound(`workflow ${workflowId}`);
  return found;
}
