import { evolve } from '../../domain/execution/evolve.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import type { ExecutionStatus } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { StandingPause } from '../../domain/workflow/workflow-pause.ts';
import type { CommitPlan, NewExecution } from '../../store/commit.ts';
import type { ExecutionRow } from '../../store/store.ts';
import { readBudgets } from './budgets.ts';
import type { CompiledDefinition } from './definition-cache.ts';
import type { EngineDeps } from '../deps.ts';
import { foldLoaded } from './load-execution.ts';
import { addStored, addToTail, emptyTail, type Tail } from './snapshot-tail.ts';

/** An execution as this process knows it. */
export interface Held {
  readonly row: ExecutionRow;
  readonly compiled: CompiledDefinition;
  state: ExecutionState;
  /** Status in its row, which facts may change too; null: not known. */
  rowStatus: ExecutionStatus | null;
  tail: Tail;
  /** As of the last decision. */
  tenant: Tenant;
  /** It or one of its ancestors has a budget. */
  readonly hasBudget: boolean;
  /** The pause of its workflow, as the last full reading showed it; null: none, or not read since. */
  readonly workflowPause: StandingPause | null;
}

/** Null: there is no such execution. */
export async function loadHeld(deps: EngineDeps, executionId: ExecutionId): Promise<Held | null> {
  const loaded = await deps.store.executions.load(executionId, null);
  if (loaded === null) return null;
  const { row } = loaded;
  const compiled = await deps.definitions.get(row.definitionId);
  const state = foldLoaded(loaded, compiled.plan);
  const tenant = await deps.tenants.get(row.tenantId);
  const hasBudget =
    compiled.plan.budget !== null ||
    (row.parentExecutionId !== null && (await readBudgets(deps, executionId)).length > 0);
  const tail = addToTail(emptyTail(loaded.snapshot?.body.length ?? 0), loaded.events);
  const { workflowPause } = loaded;
  return { row, compiled, state, rowStatus: row.status, tail, tenant, hasBudget, workflowPause };
}

/** Adds the events since the last reading. */
export async function refreshHeld(deps: EngineDeps, known: Held): Promise<Held> {
  const { plan } = known.compiled;
  const { executionId, tenantId } = known.row;
  const after = known.state.sequence;
  const events = await deps.store.executions.events({ executionId, after, limit: null });
  const state = evolve({ state: known.state, events, plan });
  const rowStatus = events.length === 0 ? known.rowStatus : null;
  // Policies may have changed too, and apply to what runs next.
  const tenant = await deps.tenants.get(tenantId);
  const tail = addToTail(known.tail, events);
  return { ...known, state, rowStatus, tail, tenant, workflowPause: null };
}

/** An execution that this commit has just created, in its resulting state. */
export function heldFromStart(of: {
  readonly commit: CommitPlan & { readonly create: NewExecution };
  readonly createdAt: string;
  readonly state: ExecutionState;
  readonly compiled: CompiledDefinition;
  readonly tenant: Tenant;
}): Held {
  const { commit, createdAt, state, compiled, tenant } = of;
  const { executionId, tenantId, create } = commit;
  const { definitionId, workflowId, workflowVersion, parentExecutionId, shard, priority } = create;
  const row: ExecutionRow = {
    executionId,
    tenantId,
    definitionId,
    workflowId,
    workflowVersion,
    parentExecutionId,
    status: state.status,
    lastSequence: state.sequence,
    shard,
    priority,
    error: state.error,
    createdAt,
    updatedAt: createdAt,
    completedAt: null,
  };
  const tail = addStored(emptyTail(0), commit.events);
  const hasBudget = compiled.plan.budget !== null;
  return {
    row,
    compiled,
    state,
    rowStatus: state.status,
    tail,
    tenant,
    hasBudget,
    workflowPause: null,
  };
}
