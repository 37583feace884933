import { hashJson } from '../canonical-json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { effectivePolicy, type Policy } from '../policy/policy.ts';
import type { Plan, PlanNode } from '../workflow/plan/plan.ts';
import type { ExecutionEvent } from './event.ts';
import type { LiveVisit } from './state.ts';

/** The verdict of the policies in force on a node's work. */
export type WorkVerdict =
  | { readonly is: 'allowed' }
  /** The verdict after a person has approved it. */
  | { readonly is: 'approval'; readonly name: string }
  | BlockedWork;

export interface BlockedWork extends Violation {
  readonly is: 'blocked';
}

/** A tool or a model that a policy does not allow. */
export interface Violation {
  readonly name: string;
  readonly rule: 'blocked_tools' | 'model_allowlist';
  /** The glob that matched. */
  readonly pattern?: string;
}

/** Judges the names in the definition; names known only at run time are judged when they occur. */
export function judgeWork(of: {
  readonly plan: Plan;
  readonly node: PlanNode;
  readonly tenantPolicy: Policy;
}): WorkVerdict {
  const { plan, tenantPolicy } = of;
  const { kind, spec, policy } = of.node;
  const effective = effectivePolicy({ node: policy, workflow: plan.policy, tenant: tenantPolicy });
  const models = kind.model?.(spec) ?? [];
  const [model] = models;
  if (model !== undefined && effective.judgeModel(models) === 'blocked') {
    return { is: 'blocked', name: model, rule: 'model_allowlist' };
  }
  const name = kind.tool?.(spec);
  if (name === undefined) return { is: 'allowed' };
  const judged = effective.judgeTool(name, ...(kind.toolAliases?.(spec) ?? []));
  if (judged.is === 'blocked') {
    return { is: 'blocked', name, rule: 'blocked_tools', pattern: judged.pattern };
  }
  return judged.is === 'approval' ? { is: 'approval', name } : { is: 'allowed' };
}

/** The question before a tool call; it shows the call. */
export function approvalQuestion(
  tool: string,
  input: JsonValue,
): { readonly description: string; readonly shown: JsonObject } {
  return { description: `call ${tool}`, shown: { tool, input } };
}

/** Whether exactly the shown work was approved. A different call needs its own approval. */
export function isApproved({ memory }: Pick<LiveVisit, 'memory'>, shown: JsonObject): boolean {
  return memory?.approvedHashes.includes(hashJson(shown)) ?? false;
}

export function violationText({ name, rule }: Violation): string {
  return rule === 'blocked_tools'
    ? `the policy blocks the tool ${name}`
    : `the policy does not allow the model ${name}`;
}

export function violationEvent(
  nodeId: string,
  visit: number,
  { name, rule, pattern }: Violation,
): ExecutionEvent {
  const payload = { visit, name, rule, ...(pattern !== undefined && { pattern }) };
  return { kind: 'PolicyViolation', nodeId, payload };
}
