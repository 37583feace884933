import {
  approvalQuestion,
  isApproved,
  judgeWork,
  violationText,
} from '../../domain/execution/judge-work.ts';
import { reenter } from '../../domain/execution/reenter.ts';
import type { ExecutionState, LiveVisit } from '../../domain/execution/state.ts';
import { isReference } from '../../domain/artifact-reference.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { Plan, PlanNode } from '../../domain/workflow/plan/plan.ts';
import type { WorkTicket } from '../../domain/work/work-item.ts';
import { dataPolicyOf } from '../../domain/data-policy/data-policy.ts';
import { effectivePolicy, type Policy } from '../../domain/policy/policy.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import { resolveReferences } from '../artifacts/resolve.ts';
import type { NodeCall, NodeOutcome, NodeRunners } from '../../nodes/run.ts';

/** An item of an in-engine node that this process has leased and runs. */
export interface RunningItem {
  readonly ticket: WorkTicket;
  readonly leaseFence: number;
  readonly abort: AbortController;
}

/**
 * Runs a leased item to its outcome. Never rejects: every error is a failed attempt, which the node's
 * retry policy judges.
 */
export async function runItem(
  deps: { readonly runners: NodeRunners; readonly artifacts: ArtifactStore },
  at: {
    readonly plan: Plan;
    readonly state: ExecutionState;
    readonly tenantPolicy: Policy;
    readonly record: NodeCall['record'];
  },
  item: RunningItem,
): Promise<NodeOutcome> {
  const { nodeId, visit, attempt, idempotencyKey } = item.ticket;
  try {
    const entered = reenter({ ...at, nodeId, visit });
    if (entered === null || entered.entry.do !== 'work') {
      return failure(`${nodeId} has no work to do at visit ${visit}`, 'internal');
    }
    const refused = judgeAgain(at, { ...entered, input: entered.entry.input });
    if (refused !== null) return refused;
    const { node, entry } = entered;
    const runner = deps.runners.get(node.kind.type);
    if (runner === undefined) {
      return failure(`this runtime cannot run nodes of kind ${node.kind.type}`, 'unsupported');
    }
    const { tenantId } = at.state;
    const [input] = await resolveReferences(deps.artifacts, { tenantId, values: [entry.input] });
    const outcome = await runner.run({
      tenantId,
      executionId: at.state.executionId,
      workflowId: at.state.workflowId,
      workflowVersion: at.state.workflowVersion,
      nodeId,
      visit,
      scheduledSequence: entered.visit.scheduledSequence,
      spec: node.spec,
      input,
      payload: entry.payload,
      scope: entered.scope,
      attempt,
      idempotencyKey,
      signal: item.abort.signal,
      progress: entered.visit.memory?.progress ?? {},
      record: at.record,
      resumedWith: entered.visit.memory?.resumedWith ?? [],
      isApproved: (shown) => isApproved(entered.visit, shown),
      retainPrompts:
        dataPolicyOf({ workflow: at.plan.dataPolicy, node: node.dataPolicy })?.retainPrompts ??
        false,
      policy: effectivePolicy({
        node: node.policy,
        workflow: at.plan.policy,
        tenant: at.tenantPolicy,
      }),
    });
    return keepReferences(outcome, entry.input);
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error), 'error');
  }
}

/** The runner gets whole values; the child begins with the references of its parent. */
function keepReferences(outcome: NodeOutcome, input: JsonValue): NodeOutcome {
  if (outcome.ok !== 'child' || !isJsonObject(input) || isReference(input)) return outcome;
  return { ...outcome, child: { ...outcome.child, input } };
}

/**
 * Policies may have changed since the work was scheduled. Work that is blocked now fails permanently;
 * work that needs an approval now, and has none, is parked for it.
 */
function judgeAgain(
  { plan, tenantPolicy }: { readonly plan: Plan; readonly tenantPolicy: Policy },
  of: { readonly node: PlanNode; readonly visit: LiveVisit; readonly input: JsonValue },
): NodeOutcome | null {
  const { node, visit, input } = of;
  const verdict = judgeWork({ plan, node, tenantPolicy });
  switch (verdict.is) {
    case 'allowed':
      return null;
    case 'approval': {
      const approval = approvalQuestion(verdict.name, input);
      return isApproved(visit, approval.shown) ? null : { ok: 'parked', until: { approval } };
    }
    case 'blocked': {
      const error = violationText(verdict);
      return { ...failure(error, 'policy_violation'), final: true, violation: verdict };
    }
  }
}

function failure(error: string, errorClass: string) {
  return { ok: false, error, errorClass } as const;
}
