import type { PlanNode } from '../../domain/workflow/plan/plan.ts';
import type { WorkTicket } from '../../domain/work/work-item.ts';
import type { NodeOutcome, Usage } from '../../nodes/run.ts';
import type { EngineDeps } from '../deps.ts';
import type { AttemptReport } from '../report.ts';
import type { Settleable } from './worker-leases.ts';

type Report = Pick<EngineDeps, 'report'>;

/** Reports a run in this process. A run that parks, or continues in a child, is not over. */
export function reportRun(
  { report }: Report,
  of: {
    readonly ticket: WorkTicket;
    readonly workflowId: string;
    /** Null: the plan has no such node. */
    readonly node: PlanNode | null;
    readonly outcome: NodeOutcome;
    readonly ms: number;
  },
): void {
  const { ticket, workflowId, node, outcome, ms } = of;
  if (typeof outcome.ok !== 'boolean') return;
  const nodeKind = node?.kind.type ?? 'unknown';
  const tool = node?.kind.toolLike === true ? toolOf(node, outcome) : null;
  const end = outcome.ok ? 'completed' : 'failed';
  observe(report, { nodeId: ticket.nodeId, nodeKind, tool, ms, end });
  if (report.attempt === undefined) return;
  const usage = outcome.usage ?? null;
  const asks = node === null ? null : (node.kind.asks?.(node.spec) ?? null);
  report.attempt({
    ...ticket,
    workflowId,
    nodeKind,
    tool,
    model: asks ?? (usage?.model === undefined ? null : { name: usage.model, provider: null }),
    workerId: null,
    ms,
    endedAt: null,
    error: outcome.ok ? null : { type: outcome.errorClass, message: outcome.error },
    usage,
  });
}

function toolOf({ kind, spec }: PlanNode, outcome: NodeOutcome): string {
  const named = outcome.ok === true ? outcome.tool : undefined;
  return named ?? kind.tool?.(spec) ?? kind.type;
}

function observe(
  report: EngineDeps['report'],
  of: {
    readonly nodeId: string;
    readonly nodeKind: string;
    readonly tool: string | null;
    readonly ms: number;
    readonly end: 'completed' | 'failed';
  },
): void {
  const seconds = of.ms / 1_000;
  const labels = { node_id: of.nodeId, node_kind: of.nodeKind, outcome: of.end };
  report.observe('node_seconds', seconds, labels);
  if (of.tool !== null) report.observe('tool_seconds', seconds, { tool_name: of.tool });
}

/** A worker's attempt, from claim to settling by the database's clock. */
export function reportAttempt(
  { report }: Report,
  { lease, record }: Pick<Settleable, 'lease' | 'record'>,
  of: {
    readonly workflowId: string;
    readonly nodeKind: string;
    readonly endedAt: string;
    readonly error: AttemptReport['error'];
    readonly usage: Usage | null;
    readonly model: string | null;
  },
): void {
  const { workflowId, nodeKind, endedAt, error, usage, model } = of;
  const ms = Math.max(0, Date.parse(endedAt) - Date.parse(lease.claimedAt));
  const { nodeId } = lease.ticket;
  const end = error === null ? 'completed' : 'failed';
  observe(report, { nodeId, nodeKind, tool: record.tool, ms, end });
  const name = model ?? usage?.model;
  report.attempt?.({
    ...lease.ticket,
    workflowId,
    nodeKind,
    tool: record.tool,
    model: name === undefined ? null : { name, provider: null },
    workerId: lease.workerId,
    ms,
    endedAt,
    error,
    usage,
  });
}
