import type { RecordedEvent } from '../../domain/execution/event.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import {
  type ExecutionStatus,
  isTerminal,
  type TerminalStatus,
} from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { outputKeyOf } from '../../domain/workflow/plan/output-key.ts';
import type { LoadedExecution } from '../../store/store.ts';
import {
  findForCaller,
  foldLoaded,
  loadForCaller,
  readEventsOf,
} from '../advance/load-execution.ts';
import { resolveReferences } from '../artifacts/resolve.ts';
import type { ExecutionRef, Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { awaitedTopic, endedTopic } from '../wake/awaited-ends.ts';
import { waitForTopics } from '../wake/wait-for-topics.ts';
import { redactEvent, redactState } from './redact-view.ts';

export interface ExecutionResult {
  readonly executionId: ExecutionId;
  readonly status: TerminalStatus;
  /** Output of a completed execution, see `outputKeyOf`; null: it gave none, or it did not complete. */
  readonly output: JsonValue;
  /** Not null: it did not complete. */
  readonly error: ResultError | null;
  /** The final state; null: the caller did not ask for it. */
  readonly state: JsonObject | null;
  /** The run that continues this one. */
  readonly continuedAs: ExecutionId | null;
}

export interface ResultError {
  readonly message: string;
  /** Class of the failure; `cancelled` of an execution that was cancelled. */
  readonly errorClass: string;
  readonly nodeId: string | null;
}

export interface NotEnded {
  readonly executionId: ExecutionId;
  readonly status: ExecutionStatus;
}

export type Awaited = { readonly ended: ExecutionResult } | { readonly pending: NotEnded };

export interface Waiting {
  readonly withState: boolean;
  /** 0: answers at once. */
  readonly waitMs: number;
  /** Aborted when the caller goes away or the process drains: the wait ends. */
  readonly signal: AbortSignal;
}

/** How an execution ended, once it has; `pending` when the time is over before. */
export async function awaitResult(
  deps: UseCaseDeps,
  reader: Reader,
  params: ExecutionRef & Waiting,
): Promise<Awaited> {
  const { executionId, status } = await findForCaller({
    executions: deps.store.executions,
    tenantId: reader.tenantId,
    executionId: params.executionId,
  });
  if (!isTerminal(status)) {
    if (params.waitMs === 0) return { pending: { executionId, status } };
    return awaitEnd(deps, reader, { ...params, executionId });
  }
  const ended = await readResult(deps, { executionId, withState: params.withState });
  if (ended === null) throw new Error(`${executionId} is ${status} and has not ended`);
  return ended;
}

/** The same for a caller who may see the execution, for example because it has just started it. */
export async function awaitEnd(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: Waiting & { readonly executionId: ExecutionId },
): Promise<Awaited> {
  const { executionId } = params;
  const ended = await resultWithin(deps, params);
  if (ended !== null) return ended;
  const { executions } = deps.store;
  const { status } = await findForCaller({ executions, tenantId, executionId });
  return { pending: { executionId, status } };
}

/** Null: the time is over, and the execution has not ended. */
async function resultWithin(
  deps: UseCaseDeps,
  params: Waiting & { readonly executionId: ExecutionId },
): Promise<Awaited | null> {
  const { executionId, waitMs, signal } = params;
  const { store, timers, wake, endLooks } = deps;
  const deadline = timers.now() + waitMs;
  const hint = waitForTopics(deps, [endedTopic(executionId)]);
  const endLook = endLooks.watch(executionId, () => hint.wake());
  const hasEnded = () => store.executions.hasEnded(executionId);
  try {
    wake.notify([awaitedTopic(executionId)]);
    let mayHaveEnded = await hasEnded();
    for (;;) {
      // A hint is nearly always true, so the result is read at once.
      const ended = mayHaveEnded ? await readResult(deps, params) : null;
      if (ended !== null) return ended;
      const timeoutMs = deadline - timers.now();
      if (timeoutMs <= 0 || signal.aborted) return null;
      mayHaveEnded = (await hint.wait({ timeoutMs, signal })) || (await hasEnded());
    }
  } finally {
    endLook();
    hint.end();
  }
}

/** The caller may see it. Null: it has not ended. */
async function readResult(
  deps: EngineDeps,
  { executionId, withState }: Pick<Waiting, 'withState'> & { readonly executionId: ExecutionId },
): Promise<Awaited | null> {
  const loaded = await loadForCaller({
    executions: deps.store.executions,
    tenantId: null,
    executionId,
  });
  const { row } = loaded;
  if (!isTerminal(row.status)) return null;
  const state = foldLoaded(loaded, null);
  const ended = { executionId, status: row.status, continuedAs: state.continuedAs };
  if (row.status !== 'completed') {
    const shown = withState ? (await showFinalState(deps, row, state)).shown : null;
    const error = await readError(deps, loaded);
    return { ended: { ...ended, output: null, error, state: shown } };
  }
  const { plan, shown } = await showFinalState(deps, row, state);
  const key = outputKeyOf(plan);
  const output = key === null ? shown : (shown[key] ?? null);
  return { ended: { ...ended, output, error: null, state: withState ? shown : null } };
}

async function showFinalState(
  deps: EngineDeps,
  { definitionId, tenantId }: LoadedExecution['row'],
  state: ExecutionState,
): Promise<{ readonly plan: Plan; readonly shown: JsonObject }> {
  const { plan } = await deps.definitions.get(definitionId);
  const [data] = await resolveReferences(deps.store.artifacts, {
    tenantId,
    values: [state.data],
  });
  return { plan, shown: redactState({ ...state, data }, plan, deps.pseudonym).data };
}

/** The last event of one that did not complete says why it ended. */
export async function readError(
  deps: EngineDeps,
  { row, events }: LoadedExecution,
): Promise<ResultError> {
  const [last = events.at(-1)] =
    events.length > 0
      ? []
      : await readEventsOf(deps.store.executions, { row, after: row.lastSequence - 1, limit: 1 });
  const { plan } = await deps.definitions.get(row.definitionId);
  return explain(last === undefined ? null : redactEvent(last, plan, deps.pseudonym));
}

function explain(last: RecordedEvent | null): ResultError {
  if (last?.kind === 'WorkflowFailed') {
    const { error, error_class: errorClass, node_id: nodeId } = last.payload;
    return { message: error, errorClass, nodeId };
  }
  if (last?.kind === 'WorkflowCancelled') {
    const message = last.payload.reason ?? 'the execution was cancelled';
    return { message, errorClass: 'cancelled', nodeId: null };
  }
  throw new Error(`an execution that did not complete ends with ${last?.kind ?? 'no event'}`);
}
