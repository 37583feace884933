import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { UsagePayload } from '../../domain/execution/usage-payload.ts';
import { violationEvent } from '../../domain/execution/judge-work.ts';
import { hasLabels, type Labels, NO_LABELS } from '../../domain/execution/labels/labels.ts';
import type { LiveVisit } from '../../domain/execution/state.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { PlanNode } from '../../domain/workflow/plan/plan.ts';
import { judgeRetry, type RetryPolicy, type RetryVerdict } from '../../domain/work/retry.ts';
import type { NodeOutcome, Usage } from '../../nodes/run.ts';

/*
 * The events of an attempt's end. They are the same for an attempt of a worker over HTTP and of
 * this process.
 */

/** After this many refusals by rate limits without progress, further attempts of a visit count like any other. */
const UNCOUNTED_MAX = 50;
const RETRY_AFTER_MS_MAX = 24 * 3_600_000;
/**
 * Limit for one attempt, as for workers. A provider may claim anything, and sums must stay in
 * bounds.
 */
const TOKENS_MAX = 1_000_000_000_000;
const COST_USD_MAX = 1_000_000_000;

export interface Attempt {
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
  readonly workItemId: string;
  readonly workerId?: string;
}

export interface ToolReport {
  readonly tool: string;
  readonly durationMs?: number | null;
  readonly genAiModel?: string | null;
  readonly finishReason?: string | null;
  readonly replayed?: boolean;
}

/** NodeCompleted, after ToolCallCompleted where a tool was called. */
export function completionFacts(
  of: Attempt,
  result: {
    readonly output: JsonValue;
    readonly statePatch: JsonObject;
    readonly targets?: readonly string[];
    readonly usage?: Usage;
    readonly labels?: Labels;
    /** Null: no tool was called. */
    readonly report: ToolReport | null;
  },
): ExecutionEvent[] {
  const { nodeId, visit, attempt, workItemId, workerId } = of;
  const { output, statePatch, targets, usage, report, labels = NO_LABELS } = result;
  const completed: ExecutionEvent = {
    kind: 'NodeCompleted',
    nodeId,
    payload: {
      visit,
      output,
      ...(Object.keys(statePatch).length > 0 && { state_patch: statePatch }),
      ...(targets !== undefined && { targets }),
      ...usageOf(usage),
      ...(hasLabels(labels) && { labels }),
    },
  };
  if (report === null) return [completed];
  const { tool, durationMs, genAiModel, finishReason } = report;
  return [
    {
      kind: 'ToolCallCompleted',
      nodeId,
      payload: {
        visit,
        work_item_id: workItemId,
        attempt,
        tool,
        ...optional('duration_ms', durationMs),
        ...optional('worker_id', workerId),
        ...optional('gen_ai_model', genAiModel ?? usage?.model),
        ...optional('finish_reason', finishReason ?? usage?.finishReason),
        ...(report.replayed === true && { replayed: true }),
      },
    },
    completed,
  ];
}

/** NodeFailed, with the verdict of the retry policy. */
export function failureFact(
  of: Attempt,
  failure: {
    readonly error: string;
    readonly errorClass: string;
    readonly verdict: RetryVerdict;
    readonly counted?: boolean;
    readonly usage?: Usage;
    /** Undos wait for the ends of its children. */
    readonly awaitsChildren?: boolean;
  },
): ExecutionEvent {
  const { nodeId, visit, attempt, workItemId, workerId } = of;
  const { error, errorClass, verdict } = failure;
  return {
    kind: 'NodeFailed',
    nodeId,
    payload: {
      visit,
      attempt,
      error,
      error_class: errorClass,
      retryable: verdict.retryable,
      ...(verdict.retryable && { retry_delay_ms: verdict.delayMs }),
      ...(failure.counted === false && { counted: false }),
      work_item_id: workItemId,
      ...optional('worker_id', workerId),
      ...usageOf(failure.usage),
      ...(failure.awaitsChildren === true && { awaits_children: true }),
    },
  };
}

/** The events of an in-engine run's outcome. */
export function outcomeFacts(of: {
  readonly node: PlanNode;
  readonly visit: LiveVisit;
  readonly attempt: Attempt;
  readonly idempotencyKey: string;
  readonly outcome: NodeOutcome;
}): ExecutionEvent[] {
  const { node, visit, attempt, outcome } = of;
  if (outcome.ok === 'parked') {
    const { until, usage } = outcome;
    const { workItemId: work_item_id } = attempt;
    const payload = { visit: attempt.visit, attempt: attempt.attempt, work_item_id };
    const what = 'event' in until ? { correlation_key: until.event } : { approval: until.approval };
    return [
      { kind: 'NodeParked', nodeId: node.id, payload: { ...payload, ...what, ...usageOf(usage) } },
    ];
  }
  if (outcome.ok === 'child') {
    const { child } = outcome;
    const { workItemId: work_item_id } = attempt;
    return [
      {
        kind: 'ChildWorkflowStarted',
        nodeId: node.id,
        payload: {
          visit: attempt.visit,
          attempt: attempt.attempt,
          work_item_id,
          child_execution_id: child.executionId,
          workflow_id: child.workflowId,
          workflow_version: child.workflowVersion,
        },
      },
    ];
  }
  if (!outcome.ok) {
    const { error, errorClass, usage } = outcome;
    const judged = judgeFailure(outcome, {
      policy: node.retryPolicy,
      seed: of.idempotencyKey,
      visit,
      attempt: attempt.attempt,
    });
    const failed = failureFact(attempt, { error, errorClass, ...judged, ...(usage && { usage }) });
    const { violation } = outcome;
    return violation === undefined
      ? [failed]
      : [violationEvent(node.id, attempt.visit, violation), failed];
  }
  const { output, statePatch, usage, targets } = outcome;
  const tool = outcome.tool ?? node.kind.tool?.(node.spec) ?? node.kind.type;
  return completionFacts(attempt, {
    output,
    statePatch,
    report: node.kind.toolLike ? { tool } : null,
    ...(targets && { targets }),
    ...(usage && { usage }),
  });
}

function judgeFailure(
  outcome: Extract<NodeOutcome, { ok: false }>,
  of: {
    readonly policy: RetryPolicy;
    readonly seed: string;
    readonly visit: LiveVisit;
    readonly attempt: number;
  },
): { readonly verdict: RetryVerdict; readonly counted: boolean } {
  const { errorClass, retryAfterMs, final } = outcome;
  const { policy, seed, visit, attempt } = of;
  if (final === true) return { verdict: { retryable: false }, counted: true };
  const waitMs = Math.min(Math.max(0, retryAfterMs ?? 0), RETRY_AFTER_MS_MAX);
  if (retryAfterMs !== undefined && (visit.memory?.uncounted ?? 0) < UNCOUNTED_MAX) {
    return { verdict: { retryable: true, delayMs: Math.round(waitMs) }, counted: false };
  }
  const verdict = judgeRetry({ policy, attempt, errorClass, seed });
  if (!verdict.retryable) return { verdict, counted: true };
  return { verdict: { ...verdict, delayMs: Math.max(verdict.delayMs, waitMs) }, counted: true };
}

function usageOf(usage: Usage | undefined): { readonly usage?: UsagePayload } {
  if (usage === undefined) return {};
  return {
    usage: {
      input_tokens: Math.min(usage.inputTokens, TOKENS_MAX),
      output_tokens: Math.min(usage.outputTokens, TOKENS_MAX),
      cost_usd: usage.costUsd === null ? null : Math.min(usage.costUsd, COST_USD_MAX),
      ...optional('model', usage.model),
      ...optional('finish_reason', usage.finishReason),
    },
  };
}

function optional<Key extends string, Value>(
  key: Key,
  value: Value | null | undefined,
): { readonly [K in Key]?: Value } {
  return value === null || value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value });
}
