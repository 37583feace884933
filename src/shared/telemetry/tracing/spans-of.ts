import { createHash } from 'node:crypto';

import type { DefinitionId } from '../../domain/ids.ts';
import type { AttemptReport, EndReport, StepsReport } from '../../engine/report.ts';
import type { Span } from './span.ts';

/**
 * Spans of executions, attempts and requests. Their ids are derived from their subject, so that
 * independent processes, days apart, write parts of one trace: the parent of an attempt's span is
 * the execution's span, which the process that ends the execution writes last.
 */

/** Where the spans of an execution belong. */
export interface ExecutionTrace {
  readonly traceId: string;
  /**
   * Parent of the execution's own span: its caller's, or its parent execution's; null: it begins
   * the trace.
   */
  readonly parentSpanId: string | null;
  readonly isSampled: boolean;
  readonly workflowId: string;
  readonly definitionId: DefinitionId;
}

export interface Visit {
  readonly executionId: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
}

export function executionSpanId(executionId: string): string {
  return spanId(executionId);
}

export function attemptSpanId({ executionId, nodeId, visit, attempt }: Visit): string {
  return spanId(executionId, nodeId, String(visit), String(attempt));
}

/** The trace of an execution that nobody has put into one is found by the execution's id. */
export function ownTraceId(executionId: string): string {
  return executionId.replace(/^exec_/, '');
}

export function spanOfExecution(
  of: EndReport & { readonly costUsd: number },
  trace: ExecutionTrace,
): Span {
  const { executionId, tenantId, status, error, startedAt, endedAt } = of;
  return {
    traceId: trace.traceId,
    spanId: executionSpanId(executionId),
    parentSpanId: trace.parentSpanId,
    name: 'svc.execution',
    kind: 'internal',
    startMs: Date.parse(startedAt),
    endMs: Date.parse(endedAt),
    attributes: {
      'svc.execution.id': executionId,
      'svc.workflow.id': trace.workflowId,
      'svc.tenant.id': tenantId,
      'svc.execution.status': status,
      'svc.cost.usd': of.costUsd > 0 ? of.costUsd : undefined,
    },
    error: status === 'failed' ? { type: 'failed', message: shorten(error ?? 'failed') } : null,
  };
}

/** The attempt at a node's work, and in it the call of the tool or the model that it was. */
export function spansOfAttempt(
  of: AttemptReport,
  trace: ExecutionTrace,
  endMs: number,
): readonly Span[] {
  const { executionId, nodeId, visit, attempt, nodeKind, tool, model } = of;
  const { traceId } = trace;
  const own = attemptSpanId(of);
  const during = {
    traceId,
    startMs: endMs - of.ms,
    endMs,
    error: of.error === null ? null : { ...of.error, message: shorten(of.error.message) },
  };
  const cost = of.usage?.costUsd ?? undefined;
  const node: Span = {
    ...during,
    spanId: own,
    parentSpanId: executionSpanId(executionId),
    name: `svc.node.${nodeId}`,
    kind: 'internal',
    attributes: {
      'svc.execution.id': executionId,
      'svc.workflow.id': trace.workflowId,
      'svc.node.id': nodeId,
      'svc.node.kind': nodeKind,
      'svc.node.visit': visit,
      'svc.node.attempt': attempt,
      'svc.worker.id': of.workerId ?? undefined,
      'svc.cost.usd': cost,
    },
  };
  const call = { ...during, parentSpanId: own, kind: 'client' } as const;
  return [
    node,
    ...(tool === null
      ? []
      : [
          {
            ...call,
            spanId: spanId(own, 'tool'),
            name: `svc.tool.${tool}`,
            attributes: {
              'svc.tool.name': tool,
              'gen_ai.operation.name': 'execute_tool',
              'gen_ai.tool.name': tool,
            },
          },
        ]),
    ...(model === null
      ? []
      : [
          {
            ...call,
            spanId: spanId(own, 'model'),
            name: 'svc.model.call',
            attributes: {
              'svc.model.name': model.name,
              'svc.cost.usd': cost,
              'gen_ai.operation.name': 'chat',
              'gen_ai.provider.name': providerName(model.provider),
              'gen_ai.request.model': model.name,
              'gen_ai.usage.input_tokens': of.usage?.inputTokens,
              'gen_ai.usage.output_tokens': of.usage?.outputTokens,
              'gen_ai.response.finish_reasons': of.usage?.finishReason && [of.usage.finishReason],
            },
          },
        ]),
  ];
}

/** The steps of a durable function, in the attempt that ran them. */
export function spansOfSteps(of: StepsReport, trace: ExecutionTrace): readonly Span[] {
  const { executionId, nodeId, visit, steps } = of;
  const parentSpanId = attemptSpanId(of);
  return steps.map((step) => {
    const startMs = Date.parse(step.startedAt);
    return {
      traceId: trace.traceId,
      spanId: spanId(executionId, nodeId, String(visit), 'step', step.identity),
      parentSpanId,
      name: `svc.step.${step.identity}`,
      kind: 'internal',
      startMs,
      endMs: startMs + step.ms,
      attributes: {
        'svc.execution.id': executionId,
        'svc.workflow.id': trace.workflowId,
        'svc.node.id': nodeId,
        'svc.node.visit': visit,
        'svc.step.name': step.identity,
        'svc.step.kind': step.kind,
        'svc.step.attempts': step.attempts,
        'svc.cost.usd': step.usage?.cost_usd ?? undefined,
        'gen_ai.request.model': step.usage?.model,
        'gen_ai.usage.input_tokens': step.usage?.input_tokens,
        'gen_ai.usage.output_tokens': step.usage?.output_tokens,
      },
      error: step.error === null ? null : { ...step.error, message: shorten(step.error.message) },
    };
  });
}

/** The provider's name in the conventions; unknown providers keep their configured name. */
function providerName(provider: string | null): string | undefined {
  return provider === 'google' ? 'gcp.gemini' : (provider ?? undefined);
}

function spanId(...of: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 16);
}

const MESSAGE_MAX = 1_000;

function shorten(message: string): string {
  return message.length <= MESSAGE_MAX ? message : `${message.slice(0, MESSAGE_MAX)}…`;
}
