import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { UsagePayload } from '../../domain/execution/usage-payload.ts';
import type { ExecutionState, UsageTotal } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import { type ExecutionId, parseExecutionId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { DueTimer, ExecutionRow, LoadedExecution } from '../../store/store.ts';
import { afterCommit } from '../commit/after-commit.ts';
import { lookedInto } from '../artifacts/looked-into.ts';
import { isLarge, offloadResult } from '../artifacts/offload.ts';
import { commitOfCancel } from '../executions/cancel-execution.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/new-event.ts';
import { retryWhileMoved } from '../commit/retry-while-moved.ts';
import type { EngineDeps } from '../deps.ts';
import { CHILD_TIMER } from './family.ts';
import { foldLoaded } from './load-execution.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { wakeFor } from '../wake/wake-for.ts';

/** Reports all ended children to their parent, in one commit. */
export async function tellParent(deps: EngineDeps, timers: readonly DueTimer[]): Promise<void> {
  const [parent] = timers;
  if (parent === undefined) return;
  const events = await Promise.all(timers.map((timer) => endOfChild(deps, timer)));
  const commit: CommitPlan = {
    ...emptyCommit(parent),
    firesTimers: timers.map(({ name }) => name),
    events: events.map((event) => newEvent(event, SCHEDULER_ACTOR)),
    runnable: 'mark',
  };
  const verdict = await deps.committer.commit(commit);
  if (verdict.accepted) {
    deps.report.count('timers_fired', timers.length, { purpose: 'child_ended' });
    wakeFor(deps.wake, commit, shardOf(parent.executionId));
  } else if (verdict.reason === 'ended' || verdict.reason === 'missing') {
    await deps.store.timers.discard(timers);
  }
}

async function endOfChild(deps: EngineDeps, timer: DueTimer): Promise<ExecutionEvent> {
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
  { executionId, tenantId, nodeId }: DueTimer,
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
 * Cancels a child that no visit waits for any more. If it continued as another run, it cancels that
 * run first, and then deletes the timer.
 */
export async function endChild(deps: EngineDeps, timer: DueTimer): Promise<void> {
  let run: ExecutionId | null = timer.executionId;
  while (run !== null) {
    const executionId: ExecutionId = run;
    const ended = await retryWhileMoved(`execution ${executionId}`, () =>
      endRun(deps, timer, executionId),
    );
    run = ended.continuedAs;
  }
}

/** Null: the run has moved meanwhile. */
async function endRun(
  deps: EngineDeps,
  timer: DueTimer,
  executionId: ExecutionId,
): Promise<{ readonly continuedAs: ExecutionId | null } | null> {
  const loaded = await deps.store.executions.load(executionId, null);
  const state = loaded && foldLoaded(loaded, null);
  if (loaded !== null && state !== null && !isTerminal(loaded.row.status)) {
    return cancelOnce(deps, timer, { loaded, state });
  }
  const continuedAs = state?.continuedAs ?? null;
  if (continuedAs === null) await deps.store.timers.discard([timer]);
  return { continuedAs };
}

/**
 * Cancels an execution because one of its ancestors has ended. If the execution has moved
 * meanwhile, the next runner that finds it cancels it.
 */
export async function cancelOrphan(
  deps: EngineDeps,
  known: { readonly row: ExecutionRow; readonly state: ExecutionState },
): Promise<void> {
  const row = { ...known.row, lastSequence: known.state.sequence };
  const by = { actorId: SCHEDULER_ACTOR, tellsParent: false };
  const commit = await commitOfCancel(deps, { row, state: known.state }, by);
  if (commit === null) return;
  const verdict = await deps.committer.commit(commit, { ahead: true });
  if (verdict.accepted) afterCommit(deps, { commit, row, committedAt: verdict.createdAt });
}

async function cancelOnce(
  deps: EngineDeps,
  timer: DueTimer,
  { loaded: { row }, state }: { readonly loaded: LoadedExecution; readonly state: ExecutionState },
): Promise<{ readonly continuedAs: null } | null> {
  const isOwn = row.executionId === timer.executionId;
  // Its parent no longer waits for it, and has usually ended too.
  const by = { actorId: SCHEDULER_ACTOR, tellsParent: false };
  const cancel = await commitOfCancel(deps, { row, state }, by);
  if (cancel !== null || isOwn) {
    const commit: CommitPlan = {
      ...(cancel ?? emptyCommit(row)),
      firesTimers: isOwn ? [timer.name] : [],
      // The setting of the timer removed its mark, so an execution that is already ending gets it
      // back.
      ...(cancel === null && { runnable: 'mark' as const }),
    };
    const verdict = await deps.committer.commit(commit, { ahead: true });
    if (!verdict.accepted) return verdict.reason === 'stale' ? { continuedAs: null } : null;
    deps.report.count('timers_fired', 1, { purpose: 'parent_ended' });
    afterCommit(deps, { commit, row, committedAt: verdict.createdAt });
  }
  if (!isOwn) await deps.store.timers.discard([timer]);
  return { continuedAs: null };
}
