import { isTerminal } from '../../../domain/execution/status.ts';
import { type ExecutionId, parseExecutionId } from '../../../domain/ids.ts';
import { type ExecutionRow, StoreUnavailableError } from '../../../store/store.ts';
import type { ExpectedEnd } from '../../advance/ends-here.ts';
import { findForCaller } from '../../advance/load-execution.ts';
import type { Caller, ExecutionRef, Reader } from '../../caller.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { awaitedTopic, endedTopic } from '../../wake/awaited-ends.ts';
import { type TopicHint, waitForTopics } from '../../wake/wait-for-topics.ts';
import { completedResult, type ExecutionResult, type NotEnded, readResult } from './read-result.ts';
import { newExecutionId, startExecution, type StartExecution } from '../start-execution.ts';

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
  const find = () =>
    findForCaller({
      executions: deps.store.executions,
      tenantId: reader.tenantId,
      executionId: params.executionId,
    });
  const id = parseExecutionId(params.executionId);
  if (id === null || params.waitMs === 0) return resultNow(deps, await find(), params);
  const watched = watchEnd(deps, id);
  try {
    const row = await find();
    return isTerminal(row.status)
      ? await resultNow(deps, row, params)
      : await endOf(deps, reader, watched, params);
  } finally {
    watched.stop();
  }
}

/**
 * Starts an execution and waits for its end; where the request was made before, for that of the first. Once it has
 * started, a database that does not answer ends the wait: an error without the id would make a caller start another.
 */
export async function startAndAwait(
  deps: UseCaseDeps,
  caller: Caller,
  { start, ...waiting }: Waiting & { readonly start: StartExecution },
): Promise<Awaited> {
  const newId = newExecutionId(deps);
  const watched = watchEnd(deps, newId);
  try {
    const { executionId } = await startExecution(deps, caller, { ...start, newId });
    return executionId === newId
      ? await endOf(deps, caller, watched, waiting).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailableError)) throw error;
          return { pending: { executionId, status: 'running' as const } };
        })
      : await awaitResult(deps, caller, { ...waiting, executionId });
  } finally {
    watched.stop();
  }
}

async function resultNow(
  deps: UseCaseDeps,
  { executionId, status }: ExecutionRow,
  { withState }: Pick<Waiting, 'withState'>,
): Promise<Awaited> {
  if (!isTerminal(status)) return { pending: { executionId, status } };
  const ended = await readResult(deps, { executionId, withState });
  if (ended === null) throw new Error(`${executionId} is ${status} and has not ended`);
  return { ended };
}

/** Watched from before the moment at which the execution is seen running: no end goes unnoticed. */
interface WatchedEnd {
  readonly executionId: ExecutionId;
  readonly hint: TopicHint;
  readonly here: ExpectedEnd;
  stop(): void;
}

function watchEnd(deps: UseCaseDeps, executionId: ExecutionId): WatchedEnd {
  const hint = waitForTopics(deps, [endedTopic(executionId)]);
  const here = deps.endsHere.expect(executionId);
  const endLook = deps.endLooks.watch(executionId, () => hint.wake());
  return {
    executionId,
    hint,
    here,
    stop() {
      endLook();
      here.stop();
      hint.end();
    },
  };
}

/** The execution was running after the watch began, and the caller may see it. */
async function endOf(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  { executionId, hint, here }: WatchedEnd,
  { waitMs, signal, withState }: Waiting,
): Promise<Awaited> {
  const { store, timers, wake } = deps;
  const { executions } = store;
  const deadline = timers.now() + waitMs;
  // Processes that commit the end say so if somebody waits for it elsewhere.
  wake.notify([awaitedTopic(executionId)]);
  for (;;) {
    const timeoutMs = Math.max(0, deadline - timers.now());
    const isHinted = await hint.wait({ timeoutMs, signal });
    const known = here.committed();
    if (known?.state.status === 'completed') {
      return { ended: await completedResult(deps, known, { withState }) };
    }
    // A hint is nearly always true, so the result is read at once.
    const mayHaveEnded = isHinted || (await executions.hasEnded(executionId));
    const ended = mayHaveEnded ? await readResult(deps, { executionId, withState }) : null;
    if (ended !== null) return { ended };
    if (!isHinted) {
      // It may have ended since the last look.
      const row = await findForCaller({ executions, tenantId, executionId });
      return resultNow(deps, row, { withState });
    }
  }
}
