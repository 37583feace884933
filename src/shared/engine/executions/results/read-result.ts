import type { RecordedEvent } from '../../../domain/execution/event.ts';
import type { ExecutionState } from '../../../domain/execution/state.ts';
import {
  type ExecutionStatus,
  isTerminal,
  type TerminalStatus,
} from '../../../domain/execution/status.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import type { Plan } from '../../../domain/workflow/plan/plan.ts';
import { outputKeyOf } from '../../../domain/workflow/plan/output-key.ts';
import type { LoadedExecution } from '../../../store/store.ts';
import type { KnownEnd } from '../../advance/ends-here.ts';
import { foldLoaded, loadForCaller, readEventsOf } from '../../advance/load-execution.ts';
import { resolveReferences } from '../../artifacts/resolve.ts';
import type { EngineDeps } from '../../deps.ts';
import { redactEvent, redactState } from '../redact-view.ts';

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

/** The caller may see it. Null: it has not ended. */
export async function readResult(
  deps: EngineDeps,
  { executionId, withState }: { readonly executionId: ExecutionId; readonly withState: boolean },
): Promise<ExecutionResult | null> {
  const loaded = await loadForCaller({
    executions: deps.store.executions,
    tenantId: null,
    executionId,
  });
  const { row } = loaded;
  if (!isTerminal(row.status)) return null;
  const state = foldLoaded(loaded, null);
  if (row.status === 'completed') return completedResult(deps, { row, state }, { withState });
  const shown = withState ? (await showFinalState(deps, row, state)).shown : null;
  const error = await readError(deps, loaded);
  const { status } = row;
  const { continuedAs } = state;
  return { executionId, status, output: null, error, state: shown, continuedAs };
}

/** The result of an execution that completed with this state. */
export async function completedResult(
  deps: EngineDeps,
  { row, state }: KnownEnd,
  { withState }: { readonly withState: boolean },
): Promise<ExecutionResult> {
  const { plan, shown } = await showFinalState(deps, row, state);
  const key = outputKeyOf(plan);
  return {
    executionId: row.executionId,
    status: 'completed',
    output: key === null ? shown : (shown[key] ?? null),
    error: null,
    state: withState ? shown : null,
    continuedAs: state.continuedAs,
  };
}

async function showFinalState(
  deps: EngineDeps,
  { definitionId, tenantId }: KnownEnd['row'],
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
