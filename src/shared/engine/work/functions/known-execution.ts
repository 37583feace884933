import type { ExecutionId } from '../../../domain/ids.ts';
import { type Held, loadHeld } from '../../advance/held-execution.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';

/** The execution of a durable function, which a worker that records steps names again and again. */
export interface KnownExecution {
  readonly held: Held;
  /** It was read for this request. */
  readonly isFresh: boolean;
}

/** As this process saw it last, else as it is read; null: there is no such execution. */
export async function knownExecution(
  deps: UseCaseDeps,
  executionId: ExecutionId,
): Promise<KnownExecution | null> {
  const held = deps.heldExecutions.get(executionId);
  if (held !== null) return { held, isFresh: false };
  const read = await readExecution(deps, executionId);
  return read && { held: read, isFresh: true };
}

export async function readExecution(
  deps: UseCaseDeps,
  executionId: ExecutionId,
): Promise<Held | null> {
  const read = await loadHeld(deps, executionId);
  if (read === null) deps.heldExecutions.drop(executionId);
  else deps.heldExecutions.set(read);
  return read;
}
