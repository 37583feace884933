import { BoundedMap } from '../../../domain/bounded-map.ts';
import type { ExecutionState } from '../../../domain/execution/state.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { ExecutionRow } from '../../../store/store.ts';
import type { CompiledDefinition } from '../../advance/definition-cache.ts';
import { foldLoaded } from '../../advance/load-execution.ts';
import { addToTail, emptyTail, type Tail } from '../../advance/snapshot-tail.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';

/**
 * Executions of durable functions as this process saw them last. A worker that records one step after
 * the other would have the whole execution read for each of them. Nothing here need be true: what is
 * decided on it is committed at the sequence it stands at, and read again where that is refused.
 */
export interface FunctionExecutions {
  get(id: ExecutionId): KnownExecution | null;
  set(known: KnownExecution): void;
  drop(id: ExecutionId): void;
}

export interface KnownExecution {
  readonly row: ExecutionRow;
  readonly compiled: CompiledDefinition;
  readonly state: ExecutionState;
  readonly tail: Tail;
  /** It was read for this request. */
  readonly isFresh: boolean;
}

/** Each may hold a state of some hundred kilobytes. */
const KEPT_MAX = 256;

export function createFunctionExecutions(): FunctionExecutions {
  const kept = new BoundedMap<ExecutionId, KnownExecution>(KEPT_MAX);
  return {
    get: (id) => kept.get(id) ?? null,
    set: (known) => void kept.set(known.row.executionId, known),
    drop: (id) => void kept.delete(id),
  };
}

/** As this process saw it last, else as it is read. */
export async function knownExecution(
  deps: UseCaseDeps,
  of: { readonly executionId: ExecutionId; readonly tenantId: TenantId },
): Promise<KnownExecution | null> {
  const known = deps.functionExecutions.get(of.executionId);
  if (known !== null) return { ...known, isFresh: false };
  const loaded = await deps.store.executions.load(of.executionId, of.tenantId);
  if (loaded === null) return null;
  const compiled = await deps.definitions.get(loaded.row.definitionId);
  const state = foldLoaded(loaded, compiled.plan);
  const tail = addToTail(emptyTail(loaded.snapshot?.body.length ?? 0), loaded.events);
  const read = { row: loaded.row, compiled, state, tail, isFresh: true };
  deps.functionExecutions.set(read);
  return read;
}
