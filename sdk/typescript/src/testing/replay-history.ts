import type { DurableFunction } from '../functions/define-function.ts';
import { replayTurn } from '../functions/replay-turn.ts';
import { entriesIn, type RecordedEvent } from './recorded-steps.ts';
import { inputOf } from './visit-input.ts';

export interface ReplayOptions<Input> {
  /** The node of the function. Default: the only one that recorded steps. */
  readonly nodeId?: string;
  /** The input of the visit. Default: what the visit before continued with, or that of the execution. */
  readonly input?: Input;
}

/**
 * Replays the recorded history of an execution against the code of today, without running a step:
 * call it with histories from production before a changed function is deployed. For a function that
 * continued as new, it replays the last visit that recorded steps. For a retry, it replays the
 * steps that the retry takes over, too.
 *
 * `events`: those of the execution, from `handle.history()`, `GET /executions/{id}/events` or an
 * export.
 *
 * @throws NonDeterminismError when the code asks for something else than was recorded
 * @throws RangeError when the history has no steps of such a node
 */
export async function replayHistory<Input, Output>(
  served: DurableFunction<Input, Output>,
  events: readonly RecordedEvent[],
  options: ReplayOptions<Input> = {},
): Promise<void> {
  const { nodeId, visit } = findVisit(events, options.nodeId ?? null);
  const input = (options.input ?? inputOf(events, { nodeId, visit })) as Input;
  await replayTurn({
    run: (ctx) => served.run(ctx, input),
    entries: entriesIn(events)
      .filter((recorded) => recorded.nodeId === nodeId && recorded.visit === visit)
      .flatMap(({ entries }) => entries),
    facts: {
      executionId: 'replayed',
      nodeId,
      turn: 0,
      attempt: 0,
      idempotencyKey: 'replayed',
      traceparent: null,
    },
    strict: served.options.determinism !== 'warn',
  });
}

function findVisit(
  events: readonly RecordedEvent[],
  nodeId: string | null,
): { readonly nodeId: string; readonly visit: number } {
  const recorded = entriesIn(events).filter((one) => nodeId === null || one.nodeId === nodeId);
  const last = recorded.at(-1);
  if (last === undefined) throw new RangeError('the history has no recorded steps of such a node');
  const nodes = new Set(recorded.map((one) => one.nodeId));
  if (nodes.size > 1) {
    throw new RangeError(`name one of these nodes as nodeId: ${[...nodes].join(', ')}`);
  }
  return last;
}
