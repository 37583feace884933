import { badRequest } from '../../domain/errors.ts';
import {
  type FlowRules,
  type GivenRules,
  joinRules,
  rulesInBoth,
} from '../../domain/workflow/flow/given-rules.ts';
import type { CompiledDefinition } from '../advance/definition-cache.ts';

/**
 * The rules of an execution: those of its definition, and those that its start brought. A retry or a fork may
 * run a definition that they can't stand beside: then its own rules hold alone.
 */
export function flowRulesOf(
  { definition, plan }: CompiledDefinition,
  given: GivenRules | null,
): FlowRules {
  if (given === null) return plan;
  const joined = joinRules(definition.ir, given, plan);
  return joined.ok ? joined.rules : plan;
}

/** Throws if a start of this definition can't bring these rules. */
export function checkGivenRules({ definition, plan }: CompiledDefinition, given: GivenRules): void {
  const both = rulesInBoth(definition.ir, given);
  if (both.length > 0) {
    const kinds = both.join(' and ');
    const [rules, them] = both.length === 1 ? ['a rule', 'it'] : ['rules', 'them'];
    throw badRequest(
      `workflow ${plan.workflowId} version ${plan.version} has ${rules} for ${kinds}, and a start can't ` +
        `replace ${them}: leave ${kinds} out, or register a version without ${them}`,
    );
  }
  const joined = joinRules(definition.ir, given, plan);
  if (!joined.ok) throw badRequest(joined.message);
}
