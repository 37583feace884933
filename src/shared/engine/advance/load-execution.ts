import type { EventRange } from '../caller.ts';
import { emptyState } from '../../domain/execution/draft.ts';
import type { RecordedEvent } from '../../domain/execution/event.ts';
import { evolve } from '../../domain/execution/evolve.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import { decodeState } from '../../domain/execution/state-codec.ts';
import { notFound } from '../../domain/errors.ts';
import { parseExecutionId, type TenantId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { ExecutionRow, ExecutionStore, LoadedExecution } from '../../store/store.ts';

/** Folds snapshot and tail to the state; see `evolve` about a null plan. */
export function foldLoaded(loaded: LoadedExecution, plan: Plan | null): ExecutionState {
  const { row, snapshot, events } = loaded;
  const base = snapshot === null ? emptyState(row) : decodeState(snapshot.body);
  return evolve({ state: base, events, plan });
}

/** Loads an execution by the caller's id; 404 if it is unknown or another tenant's. */
export async function loadForCaller(params: {
  readonly executions: ExecutionStore;
  /** Null: any tenant, for reads without a caller. */
  readonly tenantId: TenantId | null;
  readonly executionId: string;
}): Promise<LoadedExecution> {
  const id = parseExecutionId(params.executionId);
  const loaded = id && (await params.executions.load(id, params.tenantId));
  if (loaded === null) throw notFound(`execution ${params.executionId}`);
  return loaded;
}

/** Like `loadForCaller`, the row alone. */
export async function findForCaller(params: {
  readonly executions: ExecutionStore;
  readonly tenantId: TenantId;
  readonly executionId: string;
}): Promise<ExecutionRow> {
  const id = parseExecutionId(params.executionId);
  const row = id && (await params.executions.find(id, params.tenantId));
  if (row === null) throw notFound(`execution ${params.executionId}`);
  return row;
}

/**
 * Events of an execution that was found. Throws a 404 if they are gone: retention has removed the
 * execution between the two reads.
 */
export async function readEventsOf(
  executions: ExecutionStore,
  { row, ...range }: { readonly row: ExecutionRow } & EventRange,
): Promise<readonly RecordedEvent[]> {
  const { executionId, tenantId } = row;
  const { after, limit, before = null, kinds = null, order = 'asc' } = range;
  const events =
    before === null && kinds === null && order === 'asc'
      ? await executions.events({ executionId, after, limit })
      : await executions.eventsBetween({ executionId, after, limit, before, kinds, order });
  if (events.length === 0 && row.lastSequence > after) {
    await findForCaller({ executions, tenantId, executionId });
  }
  return events;
}
