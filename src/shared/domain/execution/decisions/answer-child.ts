import { DEFAULT_RETRY_POLICY, judgeRetry, type RetryVerdict } from '../../work/retry.ts';
import type { PlanNode } from '../../workflow/plan/plan.ts';
import type { ChildEnd, LiveVisit } from '../state.ts';
import { emit, planNode, type Turn } from '../turn.ts';
import { contextOfVisit } from './visit-entry.ts';

/**
 * Answers the end of the child that a visit waited for: starts another child, or ends the visit.
 */
export function answerChild(turn: Turn, visit: LiveVisit, end: ChildEnd): void {
  const node = planNode(turn, visit.nodeId);
  const verdict = end.ok ? NOT_AGAIN : judgeAgain(node, visit, end);
  if (!end.ok && verdict.retryable) {
    return fail(turn, visit, { ...end, retryDelayMs: verdict.delayMs });
  }
  const entry = node.kind.afterChild?.(node.spec, contextOfVisit(turn, node, visit), end);
  if (entry === undefined) throw new Error(`${node.id} starts no child executions`);
  if (entry.do === 'fail') return fail(turn, visit, { ...entry, retryDelayMs: null });
  emit(turn, {
    kind: 'NodeCompleted',
    nodeId: visit.nodeId,
    payload: {
      visit: visit.visit,
      output: entry.output,
      ...(entry.statePatch !== undefined && { state_patch: entry.statePatch }),
    },
  });
}

const NOT_AGAIN: RetryVerdict = { retryable: false };

/**
 * The child's own policies retry its nodes, so by default the child does not run again as a whole.
 * A cancelled child never does.
 */
function judgeAgain(
  { retryPolicy: policy }: PlanNode,
  { attempt, idempotencyKey }: LiveVisit,
  { status, errorClass }: Extract<ChildEnd, { ok: false }>,
): RetryVerdict {
  if (policy === DEFAULT_RETRY_POLICY || status === 'cancelled') return NOT_AGAIN;
  return judgeRetry({ policy, attempt, errorClass, seed: idempotencyKey ?? '' });
}

function fail(
  turn: Turn,
  { nodeId, visit, attempt }: LiveVisit,
  failure: {
    readonly error: string;
    readonly errorClass: string;
    readonly retryDelayMs: number | null;
  },
): void {
  const { error, errorClass, retryDelayMs } = failure;
  emit(turn, {
    kind: 'NodeFailed',
    nodeId,
    payload: {
      visit,
      attempt,
      error,
      error_class: errorClass,
      retryable: retryDelayMs !== null,
      ...(retryDelayMs !== null && { retry_delay_ms: retryDelayMs }),
    },
  });
}
