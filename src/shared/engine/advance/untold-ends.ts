import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { type EndingChild, isSameChild } from '../../domain/execution/undo/undo-state.ts';
import type { UsagePayload } from '../../domain/execution/usage-payload.ts';
import type { ExecutionState, UsageTotal } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import { type ExecutionId, parseExecutionId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { DueTimer, ExecutionRow, LoadedExecution } from '../../store/store.ts';
import { lookedInto } from '../artifacts/looked-into.ts';
import { isLarge, offloadResult } from '../artifacts/offload.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/new-event.ts';
import type { EngineDeps } from '../deps.ts';
import { CHILD_TIMER } from './family.ts';
import { foldLoaded } from './load-execution.ts';

/** The event by which a parent learns of the end of a child. */
export async function endOfChild(
  deps: EngineDeps,
  timer: Pick<DueTimer, 'executionId' | 'tenantId' | 'name' | 'nodeId' | 'visit'>,
): Promise<ExecutionEvent> {
  const { nodeId, visit } = timer;
  const childId = parseExecutionId(timer.name.slice(CHILD_TIMER.length));
  const loaded = childId === null ? null : await deps.store.executions.load(childId, null);
  if (loaded === null || nodeId === null || visit === null) {
    throw new Error(`timer ${timer.name} of ${timer.executionId} belongs to no child`);
  }
  const { executionId, status, error } = loaded.row;
  const state = foldLoaded(loaded, null);
  const step = state.parent?.step;
  const about = {
    visit,
    child_execution_id: executionId,
    ...(step !== undefined && { step }),
    ...usageOf(state.usage),
  };
  if (status === 'completed') {
    const output = await offloadOutput(deps, timer, state.data);
    return { kind: 'ChildWorkflowCompleted', nodeId, payload: { ...about, output } };
  }
  const failed =
    status === 'cancelled'
      ? {
          status,
          error: `child execution ${executionId} was cancelled`,
          error_class: 'child_cancelled',
        }
      : {
          status: 'failed' as const,
          error: `child execution ${executionId} failed: ${error ?? 'the reason is unknown'}`,
          error_class: 'child_failed',
        };
  return { kind: 'ChildWorkflowFailed', nodeId, payload: { ...about, ...failed } };
}

/** A large state enters the parent's history like the result of a node. */
async function offloadOutput(
  deps: EngineDeps,
  { executionId, tenantId, nodeId }: Pick<DueTimer, 'executionId' | 'tenantId' | 'nodeId'>,
  data: JsonObject,
): Promise<JsonObject> {
  if (!isLarge(JSON.stringify(data))) return data;
  const parent = await deps.store.executions.find(executionId, null);
  if (parent === null) return data;
  const { plan, definition } = await deps.definitions.get(parent.definitionId);
  const outputKey = (nodeId === null ? null : plan.nodes.get(nodeId)?.outputKey) ?? null;
  const use = { outputKey, looks: lookedInto(definition.ir) };
  const { output } = await offloadResult(deps, {
    tenantId,
    result: { visit: 0, output: data },
    use,
  });
  return isJsonObject(output) ? output : data;
}

function usageOf(used: UsageTotal): { readonly usage?: UsagePayload } {
  const { inputTokens, outputTokens, costUsd } = used;
  if (inputTokens === 0 && outputTokens === 0 && costUsd === 0) return {};
  return {
    usage: { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd },
  };
}

/**
 * The commit that records ends for which the undos of an execution wait and that it was not told; null:
 * it waits for none of them. A cancel drops the timers of the execution, and with them the report of a
 * child that had just ended. A scheduler of an older release does not ask a child to report its end.
 */
export async function commitOfUntoldEnds(
  deps: EngineDeps,
  of: {
    readonly row: ExecutionRow;
    readonly state: ExecutionState;
    /** Absent: the end of any child. */
    readonly child?: Omit<EndingChild, 'childId'>;
  },
): Promise<CommitPlan | null> {
  const { row, state, child: only } = of;
  const { endingChildren = [] } = state.undo;
  const names: string[] = [];
  const events: ExecutionEvent[] = [];
  for (const child of endingChildren) {
    if (only !== undefined && !isSameChild(child, only)) continue;
    const ended = await findEnded(deps, child);
    if (ended === null) continue;
    const name = CHILD_TIMER + ended;
    names.push(name);
    events.push(await endOfChild(deps, { ...row, ...child, name }));
  }
  if (events.length === 0) return null;
  return {
    ...emptyCommit(row),
    expectedSequence: state.sequence,
    // Else a report that is on its way would come too.
    cancelsTimers: names,
    events: events.map((event) => newEvent(event, SCHEDULER_ACTOR)),
    runnable: 'mark',
  };
}

/** The last run of a child if that has ended; null: it has not. */
async function findEnded(
  { store }: EngineDeps,
  { childId }: EndingChild,
): Promise<ExecutionId | null> {
  let run: ExecutionId | null = childId;
  while (run !== null) {
    const loaded: LoadedExecution | null = await store.executions.load(run, null);
    if (loaded === null || !isTerminal(loaded.row.status)) return null;
    const { continuedAs } = foldLoaded(loaded, null);
    if (continuedAs === null) return run;
    run = continuedAs;
  }
  return null;
}
