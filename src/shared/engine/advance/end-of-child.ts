import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { ExecutionState, UsageTotal } from '../../domain/execution/state.ts';
import type { UsagePayload } from '../../domain/execution/usage-payload.ts';
import { parseExecutionId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { DueTimer, ExecutionRow } from '../../store/store.ts';
import { lookedInto } from '../artifacts/looked-into.ts';
import { isLarge, offloadResult } from '../artifacts/offload.ts';
import type { EngineDeps } from '../deps.ts';
import { CHILD_TIMER } from './family.ts';
import { foldLoaded } from './load-execution.ts';

/** The event by which a parent learns of the end of a child. */
export type EndOfChild = Extract<
  ExecutionEvent,
  { readonly kind: 'ChildWorkflowCompleted' | 'ChildWorkflowFailed' }
>;

type Receiver = Pick<DueTimer, 'executionId' | 'tenantId' | 'nodeId' | 'visit'>;

export async function readEnd(
  deps: EngineDeps,
  timer: Receiver & Pick<DueTimer, 'name'>,
): Promise<EndOfChild> {
  const { nodeId, visit } = timer;
  const childId = parseExecutionId(timer.name.slice(CHILD_TIMER.length));
  const loaded = childId === null ? null : await deps.store.executions.load(childId, null);
  if (loaded === null || nodeId === null || visit === null) {
    throw new Error(`timer ${timer.name} of ${timer.executionId} belongs to no child`);
  }
  const child = { row: loaded.row, state: foldLoaded(loaded, null) };
  return endOfChild(deps, { ...timer, nodeId, visit }, child);
}

export async function endOfChild(
  deps: EngineDeps,
  receiver: Receiver & { readonly nodeId: string; readonly visit: number },
  { row, state }: { readonly row: ExecutionRow; readonly state: ExecutionState },
): Promise<EndOfChild> {
  const { nodeId, visit } = receiver;
  const { executionId, status, error } = row;
  const step = state.parent?.step;
  const about = {
    visit,
    child_execution_id: executionId,
    ...(step !== undefined && { step }),
    ...usageOf(state.usage),
  };
  if (status === 'completed') {
    const output = await offloadOutput(deps, receiver, state.data);
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
  { executionId, tenantId, nodeId }: Receiver,
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
