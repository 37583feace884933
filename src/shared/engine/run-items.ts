import { reenter } from '../domain/execution/reenter.ts';
import type { ExecutionState } from '../domain/execution/state.ts';
import type { Plan } from '../domain/workflow/plan.ts';
import type { WorkTicket } from '../domain/work/work-item.ts';
import type { NodeOutcome, NodeRunners } from '../nodes/run.ts';

/** An item of an in-engine node that this process has leased and runs. */
export interface RunningItem {
  readonly ticket: WorkTicket;
  readonly leaseFence: number;
  readonly abort: AbortController;
}

/**
 * Runs a leased item to its outcome. Never rejects: whatever goes wrong is a failed attempt, to be
 * judged by the node's retry policy.
 */
export async function runItem(
  runners: NodeRunners,
  at: { readonly plan: Plan; readonly state: ExecutionState },
  item: RunningItem,
): Promise<NodeOutcome> {
  const { nodeId, visit, attempt, idempotencyKey } = item.ticket;
  try {
    const node = at.plan.nodes.get(nodeId);
    const entry = reenter({ ...at, nodeId, visit });
    if (node === undefined || entry?.do !== 'work') {
      return failure(`${nodeId} has no work to do at visit ${visit}`, 'internal');
    }
    const runner = runners.get(node.kind.type);
    if (runner === undefined) {
      return failure(`this runtime cannot run nodes of kind ${node.kind.type}`, 'unsupported');
    }
    return await runner.run({
      spec: node.spec,
      input: entry.input,
      payload: entry.payload,
      attempt,
      idempotencyKey,
      signal: item.abort.signal,
    });
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error), 'error');
  }
}

function failure(error: string, errorClass: string): NodeOutcome {
  return { ok: false, error, errorClass };
}
