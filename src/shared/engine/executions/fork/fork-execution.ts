import { hashJson } from '../../../domain/canonical-json.ts';
import { badRequest, conflict } from '../../../domain/errors.ts';
import { createRetrySearch, type RetryPoint } from '../../../domain/execution/retry-point.ts';
import type { Labels } from '../../../domain/execution/labels/labels.ts';
import { executionIdFromUuid, type ExecutionId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { StandingPause } from '../../../domain/workflow/workflow-pause.ts';
import type { ExecutionRow } from '../../../store/store.ts';
import type { CompiledDefinition } from '../../advance/definition-cache.ts';
import { foldLoaded, loadForCaller } from '../../advance/load-execution.ts';
import type { Caller, ExecutionRef, Reader } from '../../caller.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { findLatest } from '../find-latest.ts';
import { carryOn, type HistoryInput, readWholeHistory } from './carry-on.ts';
import { findForkPoint, type ForkAt, type ForkPoint } from './find-fork-point.ts';
import { createForkNotes, type ForkOutline } from './outline-fork.ts';
import { readOriginal } from './read-original.ts';

/*
 * Forking an execution that runs or has ended: a new execution carries what was recorded up to a
 * point, and continues from there. The original is not touched. Unlike a retry, a fork is a
 * new call for the outside: its idempotency keys are its own, and there may be many.
 */

export interface ForkExecution extends ExecutionRef {
  readonly at: ForkAt;
  /** JSON Merge Patch of the state that the fork begins with. */
  readonly statePatch: JsonObject | null;
  /** `latest`: on the definition registered last; else on that of the execution. */
  readonly revision: 'same' | 'latest';
}

export interface ForkedExecution extends ForkPoint {
  readonly executionId: ExecutionId;
  readonly forkedFrom: ExecutionId;
}

/** The audit item that finds the forks of an execution. It precedes the fork, which may be refused. */
export const FORK_REQUESTED = 'fork_requested';

export async function forkExecution(
  deps: UseCaseDeps,
  caller: Caller,
  params: ForkExecution & { readonly idempotencyKey: string | null },
): Promise<ForkedExecution> {
  const executionId = executionIdFromUuid(deps.ids.uuid());
  const { row, forkAt, point, ...prepared } = await prepareFork(deps, caller, {
    ...params,
    executionId,
    original: params.executionId,
  });
  const { executionId: forkedFrom } = row;
  const forked = { ...forkAt, forkedFrom };
  await deps.store.audit.append({
    tenantId: caller.tenantId,
    executionId: forkedFrom,
    eventType: FORK_REQUESTED,
    actorId: caller.actorId,
    payload: { fork: executionId, sequence: forkAt.sequence, node_id: forkAt.nodeId },
  });
  const request = requestOf(params);
  const verdict = await carryOn(deps, caller, {
    ...prepared,
    row,
    executionId,
    carried: point.carried,
    from: {
      forked_from: {
        execution_id: forkedFrom,
        sequence: forkAt.sequence,
        node_id: forkAt.nodeId,
      },
    },
    request,
    isDerived: false,
  });
  if (verdict.accepted) return { ...forked, executionId };
  if (verdict.existing === null) throw new Error(`forking ${forkedFrom} was refused`);
  if (verdict.existing.bodyHash === request?.bodyHash) {
    const { executionId: existing } = verdict.existing;
    return { ...forked, ...(await recordedPoint(deps, existing)), executionId: existing };
  }
  throw conflict('this Idempotency-Key was used with a different request; use a new key', {
    execution_id: verdict.existing.executionId,
  });
}

/** The point of a fork, which the original has perhaps passed since. Null: the fork has been removed. */
async function recordedPoint(
  { store }: UseCaseDeps,
  executionId: ExecutionId,
): Promise<ForkPoint | null> {
  const [started] = await store.executions.events({ executionId, after: 0, limit: 1 });
  if (started?.kind !== 'WorkflowStarted') return null;
  const { forked_from: from } = started.payload;
  return from === undefined ? null : { sequence: from.sequence, nodeId: from.node_id };
}

export interface ForkPreview extends ForkPoint {
  readonly forkedFrom: ExecutionId;
  readonly outline: ForkOutline;
}

/** Tells what a fork would keep and run; starts nothing. */
export async function previewFork(
  deps: UseCaseDeps,
  reader: Reader,
  params: ForkExecution,
): Promise<ForkPreview> {
  const executionId = executionIdFromUuid(deps.ids.uuid());
  const { row, forkAt, outline } = await prepareFork(deps, reader, {
    ...params,
    executionId,
    original: params.executionId,
  });
  return { ...forkAt, forkedFrom: row.executionId, outline };
}

interface PreparedFork {
  readonly row: ExecutionRow;
  readonly compiled: CompiledDefinition;
  readonly workflowPause: StandingPause | null;
  readonly history: HistoryInput;
  readonly labels: Labels;
  readonly forkAt: ForkPoint;
  readonly point: RetryPoint;
  readonly outline: ForkOutline;
}

interface PrepareFork extends Omit<ForkExecution, 'executionId'> {
  readonly executionId: ExecutionId;
  readonly original: string;
}

function prepareFork(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: PrepareFork,
): Promise<PreparedFork> {
  const asked = { tenantId, executionId: params.original };
  return readOriginal(deps, asked, (row) => readForFork(deps, row, params));
}

async function readForFork(
  deps: UseCaseDeps,
  row: ExecutionRow,
  params: PrepareFork,
): Promise<PreparedFork> {
  const { executions } = deps.store;
  const { tenantId } = row;
  const own = await deps.definitions.get(row.definitionId);
  const compiled = params.revision === 'same' ? own : await findLatest(deps, row);
  const forkAt = await findForkPoint(executions, row, params.at);
  const search = createRetrySearch({
    executionId: row.executionId,
    tenantId,
    plan: own.plan,
    newPlan: compiled.plan,
    until: forkAt.sequence,
  });
  const notes = createForkNotes(forkAt.sequence);
  const history = await readWholeHistory(deps, row, {
    until: forkAt.sequence,
    add: (piece) => {
      search.add(piece);
      notes.add(piece);
    },
  });
  const loaded = await loadForCaller({ executions, tenantId, executionId: row.executionId });
  const { labels } = foldLoaded(loaded, null);
  const { executionId: successor, statePatch } = params;
  const point = search.find({ successor, statePatch, usage: null });
  if ('refused' in point) throw badRequest(`execution ${row.executionId}: ${point.refused}`);
  return {
    row,
    compiled,
    workflowPause: loaded.workflowPause,
    history,
    labels,
    forkAt,
    point,
    outline: notes.outline(point),
  };
}

function requestOf(
  params: ForkExecution & { readonly idempotencyKey: string | null },
): { key: string; bodyHash: string } | null {
  const { idempotencyKey: key, executionId, at, statePatch, revision } = params;
  if (key === null) return null;
  return { key, bodyHash: hashJson({ fork: executionId, at: { ...at }, statePatch, revision }) };
}
